// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/TimelinePane.h"

#include "widgets/format/Formatting.h"
#include "widgets/run/RunDocument.h"
#include "widgets/scratchpad/KernelLab.h"
#include "widgets/timeline/TimelineView.h"
#include "widgets/window/SelectionHub.h"

#include <QVBoxLayout>

namespace accelopt::widgets {

TimelinePane::TimelinePane(RunDocument *document, SelectionHub *hub, const Theme *theme,
                           std::filesystem::path programFolder, QWidget *parent)
    : QWidget(parent),
      m_document(document),
      m_hub(hub),
      m_lab(new KernelLab(std::move(programFolder), this)),
      m_view(new TimelineView(theme))
{
    setObjectName(QStringLiteral("timelinePane"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_view);
    setFocusProxy(m_view);
    connect(hub, &SelectionHub::selectionChanged, this, &TimelinePane::refresh);
    connect(document, &RunDocument::textReady, this, &TimelinePane::refresh);
    connect(document, &RunDocument::closed, this, [this] {
        m_lab->forget();
        m_shown = {};
        m_settled = true;
        m_view->explain({});
    });
    connect(m_lab, &KernelLab::reported, this,
            [this](const std::shared_ptr<const LabReport> &report) {
                m_settled = true;
                if (!report->timeline.events.empty())
                    m_view->setTimeline(
                        std::shared_ptr<const nki::Timeline>(report, &report->timeline));
                else if (!report->problem.empty())
                    m_view->explain(formatting::text(report->problem));
                else
                    m_view->explain(
                        tr("The kernel cannot be traced, so there is no timeline: %1.")
                            .arg(report->verdict.reasons.empty()
                                     ? formatting::verdict(report->verdict.status)
                                     : formatting::text(report->verdict.reasons.front().message)));
            });
}

void TimelinePane::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    refresh();
}

void TimelinePane::refresh()
{
    const KernelId &kernel = m_hub->current();
    if (!isVisible() || kernel == m_shown)
        return;
    const search::State &state = m_document->state();
    const search::KernelRecord *record = search::kernel(state, kernel);
    if (record == nullptr)
        return;
    m_settled = false;
    const std::optional<std::string> text = m_document->text(record->text);
    if (!text)
        return; // textReady() follows
    m_shown = kernel;
    m_view->setLine(0);
    m_view->explain(tr("The run of %1 is being laid out…").arg(m_document->name(kernel)));
    m_lab->study(*text, state.opened.task, state.config.shape, state.config.device);
}

} // namespace accelopt::widgets
