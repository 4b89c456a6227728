// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/report/CsvFolder.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <filesystem>

using namespace accelopt;
using namespace accelopt::report;

namespace {

CsvTable smallTable(const std::string &name, double value)
{
    return {name, "a row", {{"value_ms", "ms", "a value"}}, {{value}}};
}

QByteArray contentAt(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(missing)");
}

void putFile(const QString &path, const QByteArray &bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

} // namespace

class tst_CsvFolder : public QObject
{
    Q_OBJECT

private slots:
    void aNewFolderIsMadeAndCanBeExportedToAgain()
    {
        const QTemporaryDir home;
        const QString folder = home.filePath(QStringLiteral("figures/"));
        const std::filesystem::path path = folder.toStdString();
        auto done = writeCsvFolder(path, {smallTable("a", 1), smallTable("b", 2)});
        QVERIFY2(done.has_value(), done ? "" : done.error().message.c_str());
        QCOMPARE(contentAt(folder + QStringLiteral("a.csv")), QByteArray("value_ms\r\n1\r\n"));
        QVERIFY(writeCsvFolder(path, {smallTable("a", 3), smallTable("b", 2)}));
        QCOMPARE(contentAt(folder + QStringLiteral("a.csv")), QByteArray("value_ms\r\n3\r\n"));
        QCOMPARE(QDir(folder).entryList(QDir::Files),
                 (QStringList{QStringLiteral("a.csv"), QStringLiteral("accelopt-export.json"),
                              QStringLiteral("b.csv")}));
    }

    void somebodysOwnFilesAreLeftAloneAndNothingIsWritten()
    {
        const QTemporaryDir home;
        putFile(home.filePath(QStringLiteral("b.csv")), "mine");
        const auto done =
            writeCsvFolder(home.path().toStdString(), {smallTable("a", 1), smallTable("b", 2)});
        QVERIFY(!done);
        QCOMPARE(done.error().code, ErrorCode::WrongUse);
        QVERIFY(done.error().message.find("b.csv") != std::string::npos);
        QCOMPARE(contentAt(home.filePath(QStringLiteral("b.csv"))), QByteArray("mine"));
        QCOMPARE(QDir(home.path()).entryList(QDir::Files), QStringList{QStringLiteral("b.csv")});
    }

    void aFileThatWasChangedSinceIsSomebodysOwn()
    {
        const QTemporaryDir home;
        const std::filesystem::path folder = home.path().toStdString();
        QVERIFY(writeCsvFolder(folder, {smallTable("a", 1)}));
        putFile(home.filePath(QStringLiteral("a.csv")), "edited");
        QVERIFY(!writeCsvFolder(folder, {smallTable("a", 2)}));
        QCOMPARE(contentAt(home.filePath(QStringLiteral("a.csv"))), QByteArray("edited"));
    }

    void otherFilesOfTheFolderDoNotMatter()
    {
        const QTemporaryDir home;
        putFile(home.filePath(QStringLiteral("notes.txt")), "mine");
        QVERIFY(writeCsvFolder(home.path().toStdString(), {smallTable("a", 1)}));
        QCOMPARE(contentAt(home.filePath(QStringLiteral("notes.txt"))), QByteArray("mine"));
    }

    void aLinkIsNotFollowed()
    {
        const QTemporaryDir home;
        putFile(home.filePath(QStringLiteral("target")), "mine");
        QVERIFY(QFile::link(home.filePath(QStringLiteral("target")),
                            home.filePath(QStringLiteral("a.csv"))));
        QVERIFY(!writeCsvFolder(home.path().toStdString(), {smallTable("a", 1)}));
        QCOMPARE(contentAt(home.filePath(QStringLiteral("target"))), QByteArray("mine"));
    }

    void anotherProgramsManifestIsRespected()
    {
        const QTemporaryDir home;
        putFile(home.filePath(QStringLiteral("accelopt-export.json")), "{\"files\": {}}");
        QVERIFY(!writeCsvFolder(home.path().toStdString(), {smallTable("a", 1)}));
        QVERIFY(!QFile::exists(home.filePath(QStringLiteral("a.csv"))));
    }

    void anInterruptedExportCanBeRepeated()
    {
        const QTemporaryDir home;
        const std::filesystem::path folder = home.path().toStdString();
        QVERIFY(writeCsvFolder(folder, {smallTable("a", 1)}));
        putFile(home.filePath(QStringLiteral("a.csv.part")), "half");
        QVERIFY(writeCsvFolder(folder, {smallTable("a", 2)}));
        QVERIFY(!QFile::exists(home.filePath(QStringLiteral("a.csv.part"))));
    }

    void aFileOrAMissingParentIsRefusedWithAReason()
    {
        const QTemporaryDir home;
        putFile(home.filePath(QStringLiteral("file")), "x");
        const auto file = writeCsvFolder(home.filePath(QStringLiteral("file")).toStdString(),
                                         {smallTable("a", 1)});
        QVERIFY(!file && file.error().message.find("is not a folder") != std::string::npos);
        const auto deep = writeCsvFolder(
            home.filePath(QStringLiteral("no/such/folder")).toStdString(), {smallTable("a", 1)});
        QVERIFY(!deep && deep.error().message.find("does not exist") != std::string::npos);
    }
};

ACCELOPT_TEST(tst_CsvFolder)
#include "tst_CsvFolder.moc"
