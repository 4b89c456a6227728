// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/FileLock.h"

#include "tests/store/SampleRun.h"
#include "tests/support/TestMain.h"

#include <QTemporaryDir>

using namespace accelopt;
using namespace accelopt::tests;
using store::FileLock;

class tst_FileLock : public QObject
{
    Q_OBJECT

private slots:
    void isHeldByOne();
    void leavesNoFileBehind();
    void isNotHeldByALeftOverFile();
    void moves();
};

void tst_FileLock::isHeldByOne()
{
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.path().toStdString() + "/run";
    const auto first = FileLock::acquire(file);
    ACCELOPT_VERIFY_OK(first);
    const auto second = FileLock::acquire(file);
    QVERIFY(!second);
    QCOMPARE(second.error().code, ErrorCode::Busy);
    const auto holder = FileLock::holder(file);
    QVERIFY(holder);
    QCOMPARE(static_cast<qint64>(holder->pid), QCoreApplication::applicationPid());
    QVERIFY(!holder->host.empty());
    const auto other = FileLock::acquire(file.string() + "2");
    ACCELOPT_VERIFY_OK(other);
}

void tst_FileLock::leavesNoFileBehind()
{
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.path().toStdString() + "/run";
    for (int i = 0; i < 3; ++i) {
        const auto lock = FileLock::acquire(file);
        ACCELOPT_VERIFY_OK(lock);
        QVERIFY(std::filesystem::exists(file.string() + "-lock"));
    }
    QVERIFY(!FileLock::holder(file));
    QCOMPARE(folderAsText(file.parent_path()), std::string());
}

void tst_FileLock::isNotHeldByALeftOverFile()
{
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.path().toStdString() + "/run";
    writeBytes(file.string() + "-lock", "1 some-host-that-crashed\n");
    QVERIFY(!FileLock::holder(file));
    const auto lock = FileLock::acquire(file);
    ACCELOPT_VERIFY_OK(lock);
    QCOMPARE(static_cast<qint64>(FileLock::holder(file)->pid), QCoreApplication::applicationPid());
}

void tst_FileLock::moves()
{
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.path().toStdString() + "/run";
    std::optional<FileLock> kept;
    {
        auto lock = FileLock::acquire(file);
        ACCELOPT_VERIFY_OK(lock);
        kept = std::move(*lock);
    }
    QVERIFY(FileLock::holder(file));
    kept.reset();
    QVERIFY(!FileLock::holder(file));
}

ACCELOPT_TEST(tst_FileLock)
#include "tst_FileLock.moc"
