// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/NetworkFilesystem.h"

#include "tests/support/TestMain.h"

using namespace accelopt;

class tst_NetworkFilesystem : public QObject
{
    Q_OBJECT

private slots:
    void findsTheTypeOfTheDeepestMount_data();
    void findsTheTypeOfTheDeepestMount();
    void knowsNothingWithoutATable();
};

void tst_NetworkFilesystem::findsTheTypeOfTheDeepestMount_data()
{
    QTest::addColumn<std::string>("file");
    QTest::addColumn<std::string>("type");
    const auto row = [](const char *name, const std::string &file, const std::string &type) {
        QTest::newRow(name) << file << type;
    };
    row("a local disk", "/var/run1", "");
    row("a network mount", "/home/lab/run1", "nfs4");
    row("a local disk inside a network mount", "/home/lab/scratch/run1", "");
    row("a folder that only begins like a mount", "/home2/run1", "");
    row("a mount with a blank in its name", "/mnt/lab share/run1", "cifs");
    row("a mount that covers an earlier one", "/data/run1", "fuse.sshfs");
    row("the mount point itself", "/home", "nfs4");
}

void tst_NetworkFilesystem::findsTheTypeOfTheDeepestMount()
{
    QFETCH(std::string, file);
    QFETCH(std::string, type);
    const std::string table = "/dev/vda / ext4 rw,relatime 0 0\n"
                              "server:/home /home nfs4 rw,vers=4.2 0 0\n"
                              "tmpfs /home/lab/scratch tmpfs rw 0 0\n"
                              "//nas/share /mnt/lab\\040share cifs rw 0 0\n"
                              "/dev/vdb /data ext4 rw 0 0\n"
                              "me@host: /data fuse.sshfs rw 0 0\n"
                              "nonsense\n";
    QCOMPARE(store::networkFilesystemIn(table, file), type);
}

void tst_NetworkFilesystem::knowsNothingWithoutATable()
{
    QCOMPARE(store::networkFilesystem("/home/x", "/no/such/table"), std::string());
}

ACCELOPT_TEST(tst_NetworkFilesystem)
#include "tst_NetworkFilesystem.moc"
