// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/ChartPane.h"
#include "widgets/diff/DiffView.h"
#include "widgets/format/Formatting.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/Theme.h"
#include "widgets/tree/KernelTreeCanvas.h"
#include "widgets/window/CommandTable.h"
#include "widgets/window/FilterBar.h"
#include "widgets/window/SelectionHub.h"
#include "widgets/window/WorkbenchWindow.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QSettings>
#include <QSplitter>
#include <QTabWidget>
#include <QTimer>

// How the window looks, and what of it is kept from one time to the next.

namespace accelopt::widgets {

namespace {

/// Of what saveState() writes; another version is not taken up.
constexpr int kPanesVersion = 1;
constexpr int kSaveAfterMs = 2000;

constexpr Layout kLayouts[] = {Layout::Search, Layout::Compare, Layout::Teach, Layout::Present};
constexpr std::pair<ThemeKind, const char *> kThemeNames[] = {
    {ThemeKind::Light, "light"}, {ThemeKind::Dark, "dark"}, {ThemeKind::HighContrast, "contrast"}};

QSettings sessionSettings()
{
    return QSettings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("accelopt"),
                     QStringLiteral("workbench"));
}

double textScale(Layout layout)
{
    return layout == Layout::Teach ? 1.2 : layout == Layout::Present ? 1.4 : 1;
}

} // namespace

QString name(Layout layout)
{
    switch (layout) {
    case Layout::Search: return QStringLiteral("search");
    case Layout::Compare: return QStringLiteral("compare");
    case Layout::Teach: return QStringLiteral("teach");
    case Layout::Present: return QStringLiteral("present");
    }
    return {};
}

void WorkbenchWindow::setLayoutKind(Layout layout)
{
    m_layoutKind = layout;
    const bool searching = layout == Layout::Search;
    m_upper->setVisible(layout != Layout::Compare);
    m_filters->setVisible(layout != Layout::Present);
    m_listDock->setProperty("wanted", searching);
    m_memoryDock->setProperty("wanted", searching);
    m_plansDock->setProperty("wanted", searching);
    m_cardDock->setProperty("wanted", layout != Layout::Present);
    m_rooflineDock->setProperty("wanted", searching || layout == Layout::Teach);
    if (layout == Layout::Present)
        m_lower->setCurrentWidget(m_charts);
    else if (layout == Layout::Compare)
        m_lower->setCurrentWidget(m_diff);
    applyTextScale();
    refreshHint();
    showPanes();
    if (m_saving != nullptr)
        m_saving->start();
}

void WorkbenchWindow::applyTextScale()
{
    const double scale = textScale(m_layoutKind);
    QFont font = QApplication::font();
    m_tree->setFont(font); // its nodes grow as a whole
    font.setPointSizeF(font.pointSizeF() * scale);
    setFont(font);
    m_tree->setComfort(scale);
}

QString WorkbenchWindow::lessonText() const
{
    const search::State &state = m_document->state();
    const search::KernelRecord *record = search::kernel(state, m_hub->current());
    if (record == nullptr)
        return tr("Each box is a kernel that does the same work; the tree grows from left to right "
                  "as agents change kernels. Choose one.");
    const QString called = m_document->name(record->id);
    if (!record->judged)
        return tr("%1 is being judged: is it right, and how fast is it?").arg(called);
    if (!record->verdict.correct())
        return tr("%1 is not used: %2. A wrong kernel is of no use, however fast it is.")
            .arg(called, formatting::text(failureText(*record)));
    const Profile &profile = record->profile;
    QString busiest;
    double most = 0;
    const std::pair<const char *, QString> engines[] = {
        {"tensor_engine_active_time_percent", tr("the tensor engine")},
        {"vector_engine_active_time_percent", tr("the vector engine")},
        {"scalar_engine_active_time_percent", tr("the scalar engine")},
        {"gpsimd_engine_active_time_percent", tr("the GpSimd engine")},
        {"dma_active_time_percent", tr("the DMA, which moves data,")}};
    for (const auto &[counter, engine] : engines) {
        const auto it = profile.counters.find(counter);
        if (it != profile.counters.end() && it->second > most) {
            most = it->second;
            busiest = engine;
        }
    }
    QString text;
    const KernelId parent = m_document->parentOf(record->id);
    const search::KernelRecord *from = search::kernel(state, parent);
    if (from == nullptr || !from->rankable) {
        text = tr("%1 takes %2.").arg(called, formatting::latency(profile));
    } else {
        const search::PlanRecord *plan =
            record->first ? search::plan(state, record->first->slot.plan) : nullptr;
        const double factor = search::speedup(state, parent, record->id);
        const QString idea = plan == nullptr
                                 ? QString()
                                 : tr(" by the plan “%1”").arg(formatting::text(plan->plan.title));
        text = (tied(profile, from->profile)
                    ? tr("%1 was made from %2%3 and takes %4: no difference that can be told.")
                          .arg(called, m_document->name(parent), idea, formatting::latency(profile))
                    : tr("%1 was made from %2%3. It takes %4 instead of %5: %6.")
                          .arg(called, m_document->name(parent), idea, formatting::latency(profile),
                               formatting::latency(from->profile.latencyMs),
                               formatting::signedSpeedup(factor)));
    }
    if (!busiest.isEmpty())
        text += tr(" Most of the time %1 is busy (%2), so that is where to look next.")
                    .arg(busiest, formatting::share(most));
    return text;
}

void WorkbenchWindow::refreshHint()
{
    m_hint->setVisible(m_layoutKind == Layout::Teach);
    if (m_layoutKind == Layout::Teach)
        m_hint->setText(lessonText());
}

void WorkbenchWindow::makeFilterCommands()
{
    const QString view = tr("&View");
    m_commands->addSeparator(view);
    QList<QAction *> chips;
    for (const FilterChip chip : allFilterChips()) {
        Command command{QStringLiteral("filter.") + name(chip),
                        view,
                        text(chip),
                        {},
                        tr("Kernels of the tree that do not fit become faint"),
                        Picture::None,
                        [this, chip] {
                            std::set<FilterChip> wanted = m_tree->filter();
                            if (wanted.erase(chip) == 0)
                                wanted.insert(chip);
                            m_tree->setFilter(wanted);
                        },
                        [this] { return whyNoRun(); }};
        command.isOn = [this, chip] { return m_tree->filter().contains(chip); };
        command.otherNames = tr("filter chip only");
        m_commands->add(command);
        chips << m_commands->action(command.id);
    }
    m_commands->add(
        {QStringLiteral("filter.none"),
         view,
         tr("Show &all kernels"),
         {QKeySequence(Qt::Key_Escape)},
         tr("Takes all chips off the tree"),
         Picture::None,
         [this] { m_tree->setFilter({}); },
         [this] { return m_tree->filter().empty() ? tr("Nothing is filtered") : QString(); }});
    m_filters->setActions(chips);
}

void WorkbenchWindow::keepSession(Reopen what)
{
    const QSettings settings = sessionSettings();
    restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
    for (const auto &[kind, called] : kThemeNames)
        if (settings.value(QStringLiteral("theme")).toString() == QLatin1String(called))
            m_theme->setKind(kind);
    for (const Layout layout : kLayouts)
        if (settings.value(QStringLiteral("layout")).toString() == name(layout))
            setLayoutKind(layout);
    m_lower->setCurrentIndex(settings.value(QStringLiteral("lowerTab"), 0).toInt());
    m_centre->restoreState(settings.value(QStringLiteral("centre")).toByteArray());
    std::set<FilterChip> chips;
    for (const FilterChip chip : allFilterChips())
        if (settings.value(QStringLiteral("filters")).toStringList().contains(name(chip)))
            chips.insert(chip);
    m_tree->setFilter(chips);
    std::set<BreakPoint> points;
    for (const BreakPoint point : allBreakPoints())
        if (settings.value(QStringLiteral("breakPoints")).toStringList().contains(name(point)))
            points.insert(point);
    m_driver->setBreakPoints(points);
    m_commands->refresh();

    const QString file = settings.value(QStringLiteral("file")).toString();
    if (what == Reopen::LastRun && QFileInfo::exists(file)) {
        m_reopened = file;
        openFile(file);
    }
    connect(m_document, &RunDocument::caughtUp, this, [this] {
        if (m_reopened.isEmpty() || m_reopened != m_document->file())
            return;
        m_reopened.clear();
        const QSettings kept = sessionSettings();
        const KernelId current = m_document->find(kept.value(QStringLiteral("current")).toString());
        if (current.empty())
            return;
        m_hub->setCurrent(current);
        m_hub->setSecond(m_document->find(kept.value(QStringLiteral("second")).toString()));
    });

    m_saving = new QTimer(this);
    m_saving->setSingleShot(true);
    m_saving->setInterval(kSaveAfterMs);
    connect(m_saving, &QTimer::timeout, this, &WorkbenchWindow::saveSession);
    const auto later = qOverload<>(&QTimer::start);
    connect(m_hub, &SelectionHub::selectionChanged, m_saving, later);
    connect(m_document, &RunDocument::closed, m_saving, later);
    connect(m_document, &RunDocument::caughtUp, m_saving, [this] {
        // A running search says this ten times a second: it must not put the saving off for ever.
        if (!m_saving->isActive())
            m_saving->start();
    });
    connect(m_theme, &Theme::changed, m_saving, later);
    connect(m_tree, &KernelTreeCanvas::filterChanged, m_saving, later);
    connect(m_lower, &QTabWidget::currentChanged, m_saving, later);
    connect(m_centre, &QSplitter::splitterMoved, m_saving, later);
}

void WorkbenchWindow::saveSession()
{
    if (m_saving == nullptr || !m_reopened.isEmpty())
        return;
    QSettings settings = sessionSettings();
    settings.setValue(QStringLiteral("geometry"), saveGeometry());
    for (const auto &[kind, called] : kThemeNames)
        if (m_theme->kind() == kind)
            settings.setValue(QStringLiteral("theme"), QString::fromLatin1(called));
    settings.setValue(QStringLiteral("layout"), name(m_layoutKind));
    if (m_panesShown)
        settings.setValue(QStringLiteral("panes"), saveState(kPanesVersion));
    settings.setValue(QStringLiteral("lowerTab"), m_lower->currentIndex());
    settings.setValue(QStringLiteral("centre"), m_centre->saveState());
    QStringList chips;
    for (const FilterChip chip : m_tree->filter())
        chips << name(chip);
    settings.setValue(QStringLiteral("filters"), chips);
    QStringList points;
    for (const BreakPoint point : m_driver->breakPoints())
        points << name(point);
    settings.setValue(QStringLiteral("breakPoints"), points);
    settings.setValue(QStringLiteral("file"), m_document->file());
    settings.setValue(QStringLiteral("current"), QString::fromStdString(m_hub->current().value));
    settings.setValue(QStringLiteral("second"), QString::fromStdString(m_hub->second().value));
}

void WorkbenchWindow::restorePanes()
{
    // Taken up once, when the panes first show; a layout chosen later has its own sizes.
    if (m_saving == nullptr || std::exchange(m_panesRestored, true))
        return;
    restoreState(sessionSettings().value(QStringLiteral("panes")).toByteArray(), kPanesVersion);
}

} // namespace accelopt::widgets
