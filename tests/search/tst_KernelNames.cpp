// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/search/KernelNames.h"

#include <QTest>
#include <string>

using namespace accelopt;
using namespace accelopt::search;

namespace {

const KernelId kNamedBaseline("aaaaaa0000");
const KernelId kNamedFirst("bbbbbb1111");
const KernelId kNamedSecond("bbbbbb2222");

Event event(EventBody body)
{
    Event made;
    made.body = std::move(body);
    return made;
}

Event written(const KernelId &kernel)
{
    AttemptMade made;
    made.kernel = kernel;
    return event(made);
}

std::vector<Event> namedKernels()
{
    RunOpened opened;
    opened.baseline = kNamedBaseline;
    // The same kernel written again, or the baseline once more, takes no number.
    return {event(opened), written(kNamedFirst), written(kNamedFirst), written(kNamedBaseline),
            written(kNamedSecond)};
}

} // namespace

Q_DECLARE_METATYPE(std::string)

/// What people call kernels, wherever they do.
class tst_KernelNames : public QObject
{
    Q_OBJECT

private slots:
    void kernelsAreNumberedAsTheyAreWritten()
    {
        const KernelNames names(namedKernels());
        QCOMPARE(names.kernels().size(), std::size_t(3));
        QCOMPARE(names.name(kNamedBaseline), std::string("baseline"));
        QCOMPARE(names.name(kNamedFirst), std::string("k1"));
        QCOMPARE(names.name(kNamedSecond), std::string("k2"));
        QCOMPARE(names.number(KernelId("cccccc")), -1);
        QCOMPARE(names.name(KernelId("cccccc0123456789")), std::string("cccccc0123"));
    }

    void namesLeadToKernels_data()
    {
        QTest::addColumn<std::string>("name");
        QTest::addColumn<std::string>("kernel");
        const auto row = [](const char *what, const char *name, const KernelId &kernel) {
            QTest::newRow(what) << std::string(name) << kernel.value;
        };
        row("the baseline", "baseline", kNamedBaseline);
        row("the baseline by its number", "k0", kNamedBaseline);
        row("the best", " Best ", kNamedSecond);
        row("a number with its letter", "K1", kNamedFirst);
        row("a number", "2", kNamedSecond);
        row("a number that is none", "k3", KernelId());
        row("a number and more", "k1x", KernelId());
        row("a letter", "k", KernelId());
        row("a number below all", "k-1", KernelId());
        row("a number beyond all", "k99999999999999999999999", KernelId());
        row("the beginning of a hash", "bbbbbb2", kNamedSecond);
        row("the beginning of two hashes", "bbbbbb", KernelId());
        row("too few digits", "aaaaa", KernelId());
        row("nothing", "", KernelId());
    }

    void namesLeadToKernels()
    {
        QFETCH(const std::string, name);
        QFETCH(const std::string, kernel);
        State state;
        state.opened.baseline = kNamedBaseline;
        state.best = kNamedSecond;
        QCOMPARE(KernelNames(namedKernels()).find(name, state).value, kernel);
    }
};

ACCELOPT_TEST(tst_KernelNames)
#include "tst_KernelNames.moc"
