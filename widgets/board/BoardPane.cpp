// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/board/BoardPane.h"

#include "widgets/board/BoardModel.h"
#include "widgets/format/Formatting.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/TableLook.h"
#include "widgets/theme/Theme.h"

#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

namespace accelopt::widgets {

namespace {

/// Draws the best speedup after each iteration as a line that starts at the baseline's.
class SparklineDelegate : public QStyledItemDelegate
{
public:
    SparklineDelegate(const Theme *theme, QObject *parent)
        : QStyledItemDelegate(parent),
          m_theme(theme)
    {}

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        const auto speedups = index.data(BoardModel::SpeedupsRole).value<QList<double>>();
        if (speedups.size() < 2)
            return;
        const QRectF area = QRectF(option.rect).adjusted(6, 5, -6, -5);
        const auto [low, high] = std::minmax_element(speedups.begin(), speedups.end());
        const double span = std::max(*high - *low, 0.02);
        QPolygonF line;
        for (qsizetype i = 0; i < speedups.size(); ++i)
            line << QPointF(area.left() + double(i) / double(speedups.size() - 1) * area.width(),
                            area.bottom() - (speedups[i] - *low) / span * area.height());
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(m_theme->color(Tone::Best), 1.6));
        painter->drawPolyline(line);
        painter->setBrush(m_theme->color(Tone::Best));
        painter->setPen(Qt::NoPen);
        painter->drawEllipse(line.last(), 2.5, 2.5);
        painter->restore();
    }

private:
    const Theme *m_theme;
};

} // namespace

BoardPane::BoardPane(RunDocument *document, const Theme *theme, QWidget *parent)
    : QWidget(parent),
      m_document(document),
      m_model(new BoardModel(this)),
      m_summary(new QLabel),
      m_view(new QTableView)
{
    setObjectName(QStringLiteral("boardPane"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(6, 4, 6, 2);
    column->setSpacing(3);
    m_summary->setObjectName(QStringLiteral("boardSummary"));
    m_summary->setTextFormat(Qt::PlainText);
    m_summary->setWordWrap(true);
    column->addWidget(m_summary);
    m_view->setObjectName(QStringLiteral("boardTable"));
    m_view->setAccessibleName(tr("Runs in this folder"));
    m_view->setModel(m_model);
    m_view->setItemDelegateForColumn(BoardModel::Course, new SparklineDelegate(theme, m_view));
    showOneRowAtATime(m_view, fontMetrics().height() + 12);
    const int character = fontMetrics().averageCharWidth();
    m_view->setColumnWidth(BoardModel::Task, character * 24);
    m_view->setColumnWidth(BoardModel::Iterations, character * 11);
    m_view->setColumnWidth(BoardModel::Tried, character * 8);
    m_view->setColumnWidth(BoardModel::Best, character * 18);
    m_view->setColumnWidth(BoardModel::Speedup, character * 12);
    m_view->setColumnWidth(BoardModel::Course, character * 26);
    m_view->horizontalHeader()->setSectionResizeMode(BoardModel::State, QHeaderView::Stretch);
    column->addWidget(m_view, 1);
    setFocusProxy(m_view);
    connect(m_view, &QTableView::activated, this, [this](const QModelIndex &index) {
        emit fileWanted(index.data(BoardModel::FileRole).toString());
    });
    connect(m_model, &QAbstractItemModel::modelReset, this, &BoardPane::refresh);
    const auto follow = [this] {
        m_model->setFolder(m_document->isOpen() ? QFileInfo(m_document->file()).path() : QString());
    };
    connect(document, &RunDocument::opened, this, follow);
    connect(document, &RunDocument::closed, this, follow);
    refresh();
}

void BoardPane::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    m_model->setWatched(true);
}

void BoardPane::hideEvent(QHideEvent *event)
{
    QWidget::hideEvent(event);
    m_model->setWatched(false);
}

QString BoardPane::summary() const
{
    return m_summary->text();
}

void BoardPane::refresh()
{
    const int runs = m_model->rowCount();
    if (runs == 0) {
        m_summary->setText(tr("The runs in the open run's folder are listed here, those of an "
                              "experiment over several tasks among them."));
        return;
    }
    QString text = formatting::count(runs, tr("run"), tr("runs"));
    if (const double mean = m_model->geometricMean(); mean > 0)
        text += tr(", geometric mean of the best speedups %1 (simulated)")
                    .arg(formatting::signedSpeedup(mean));
    m_summary->setText(text + tr(". Enter opens one."));
}

} // namespace accelopt::widgets
