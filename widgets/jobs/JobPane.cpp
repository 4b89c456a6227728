// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/jobs/JobPane.h"

#include "widgets/format/Formatting.h"
#include "widgets/jobs/JobModel.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/TableLook.h"
#include "widgets/theme/Theme.h"
#include "widgets/window/SelectionHub.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

namespace accelopt::widgets {

namespace {

/// What failed stands out; what waits is quiet.
class JobDelegate : public QStyledItemDelegate
{
public:
    JobDelegate(const Theme *theme, QObject *parent) : QStyledItemDelegate(parent), m_theme(theme)
    {}

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        const auto kind = JobModel::Kind(index.data(JobModel::KindRole).toInt());
        option->palette.setColor(QPalette::Text,
                                 m_theme->color(kind == JobModel::Kind::Failed    ? Tone::Failed
                                                : kind == JobModel::Kind::Waiting ? Tone::QuietText
                                                                                  : Tone::Text));
    }

private:
    const Theme *m_theme;
};

} // namespace

JobPane::JobPane(RunDocument *document, SelectionHub *hub, const Theme *theme, QWidget *parent)
    : QWidget(parent),
      m_document(document),
      m_model(new JobModel(document, this)),
      m_summary(new QLabel),
      m_read(new QPushButton(tr("Mark failures as read"))),
      m_view(new QTableView)
{
    setObjectName(QStringLiteral("jobPane"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(6, 4, 6, 2);
    column->setSpacing(3);
    auto *row = new QHBoxLayout;
    column->addLayout(row);
    m_summary->setObjectName(QStringLiteral("jobSummary"));
    m_summary->setTextFormat(Qt::PlainText);
    m_summary->setWordWrap(true);
    row->addWidget(m_summary, 1);
    m_read->setObjectName(QStringLiteral("jobsRead"));
    row->addWidget(m_read);
    m_view->setObjectName(QStringLiteral("jobTable"));
    m_view->setAccessibleName(tr("Jobs"));
    m_view->setModel(m_model);
    m_view->setItemDelegate(new JobDelegate(theme, m_view));
    showOneRowAtATime(m_view, fontMetrics().height() + 8);
    const int character = fontMetrics().averageCharWidth();
    m_view->setColumnWidth(JobModel::State, character * 26);
    m_view->setColumnWidth(JobModel::Since, character * 9);
    m_view->horizontalHeader()->setSectionResizeMode(JobModel::What, QHeaderView::Stretch);
    column->addWidget(m_view, 1);
    setFocusProxy(m_view);
    connect(m_view, &QTableView::activated, this, [this, hub](const QModelIndex &index) {
        if (const KernelId kernel = m_model->kernelAt(index.row()); !kernel.empty())
            hub->setCurrent(kernel);
    });
    connect(m_read, &QPushButton::clicked, m_model, &JobModel::markRead);
    connect(m_model, &QAbstractItemModel::modelReset, this, &JobPane::refresh);
    refresh();
}

QString JobPane::summary() const
{
    return m_summary->text();
}

void JobPane::refresh()
{
    const int under = m_model->count(JobModel::Kind::UnderWay);
    const int waiting = m_model->count(JobModel::Kind::Waiting);
    const int failed = m_model->unread();
    m_read->setEnabled(failed > 0);
    QStringList parts;
    if (!m_document->isOpen() || m_model->rowCount() == 0)
        parts << tr("Nothing is under way. What agents are asked and kernels are judged stands "
                    "here, and what failed stays until it is read.");
    else
        parts << tr("%1 under way").arg(under) << tr("%1 waiting").arg(waiting)
              << tr("%1 failed").arg(failed);
    const search::State &state = m_document->state();
    if (state.callsAskedAgain > 0)
        parts << formatting::count(state.callsAskedAgain, tr("call asked again"),
                                   tr("calls asked again"));
    m_summary->setText(parts.join(QStringLiteral("  ·  ")));
    emit summaryChanged();
}

} // namespace accelopt::widgets
