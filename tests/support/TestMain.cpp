// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include <QDir>
#include <QLocale>
#include <QTemporaryDir>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#ifdef ACCELOPT_TESTS_WITH_WIDGETS
#include <QApplication>
#include <QFont>
#include <QStyleFactory>
#else
#include <QCoreApplication>
#endif

namespace accelopt::tests {
namespace {

struct Entry
{
    const char *name;
    Registration::Maker make;
};

// A function-local static because registrations run before main() in no known order.
std::vector<Entry> &entries()
{
    static std::vector<Entry> all;
    return all;
}

// Each process gets folders of its own, so that tests neither see nor leave anything of the user's.
void useOwnFolders(const QTemporaryDir &root)
{
    qputenv("ACCELOPT_KEYCHAIN", "off"); // nor the user's keys
    const std::pair<const char *, const char *> folders[] = {
        {"XDG_CONFIG_HOME", "config"},
        {"XDG_DATA_HOME", "data"},
        {"XDG_CACHE_HOME", "cache"},
        {"XDG_STATE_HOME", "state"},
    };
    for (const auto &[variable, folder] : folders) {
        const QString path = root.filePath(QString::fromLatin1(folder));
        QDir().mkpath(path);
        qputenv(variable, QFile::encodeName(path));
    }
}

void setDefault(const char *variable, const char *value)
{
    if (!qEnvironmentVariableIsSet(variable))
        qputenv(variable, value);
}

int runAll(const std::vector<Entry> &chosen, const std::vector<char *> &arguments)
{
    int failures = 0;
    for (const Entry &entry : chosen) {
        const std::unique_ptr<QObject> test = entry.make();
        std::vector<char *> copy = arguments;
        failures += QTest::qExec(test.get(), static_cast<int>(copy.size()), copy.data());
    }
    return std::min(failures, 100);
}

} // namespace

Registration::Registration(const char *className, Maker maker)
{
    entries().push_back({className, maker});
}

} // namespace accelopt::tests

// usage: tests_<room> [class] [QTest arguments...]
int main(int argc, char **argv)
{
    using namespace accelopt::tests;

    const QTemporaryDir root;
    if (!root.isValid()) {
        std::fprintf(stderr, "no temporary folder could be made: %s\n",
                     qPrintable(root.errorString()));
        return 3;
    }
    useOwnFolders(root);
    setDefault("QT_QPA_PLATFORM", "offscreen");
    setDefault("ACCELOPT_NKISIM", ACCELOPT_BIN_DIR "/nkisim");
    qputenv("LC_ALL", "C.UTF-8");
    QLocale::setDefault(QLocale::c());

#ifdef ACCELOPT_TESTS_WITH_WIDGETS
    const QApplication application(argc, argv);
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QApplication::setFont(QFont(QStringLiteral("DejaVu Sans"), 10));
#else
    const QCoreApplication application(argc, argv);
#endif
    QCoreApplication::setApplicationName(QStringLiteral("accelopt-tests"));

    std::vector<Entry> chosen = entries();
    std::sort(chosen.begin(), chosen.end(),
              [](const Entry &a, const Entry &b) { return std::strcmp(a.name, b.name) < 0; });
    std::vector<char *> arguments(argv, argv + argc);
    if (argc > 1 && argv[1][0] != '-') {
        const auto found = std::find_if(chosen.begin(), chosen.end(), [&](const Entry &entry) {
            return std::strcmp(entry.name, argv[1]) == 0;
        });
        if (found == chosen.end()) {
            std::fprintf(stderr, "%s has no test class %s; it has:\n", argv[0], argv[1]);
            for (const Entry &entry : chosen)
                std::fprintf(stderr, "  %s\n", entry.name);
            return 2;
        }
        chosen = {*found};
        arguments.erase(arguments.begin() + 1);
    }
    return runAll(chosen, arguments);
}
