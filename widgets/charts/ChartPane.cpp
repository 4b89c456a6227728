// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/ChartPane.h"

#include "widgets/format/Formatting.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/Theme.h"

#include <QBarCategoryAxis>
#include <QBoxPlotSeries>
#include <QBoxSet>
#include <QChart>
#include <QChartView>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLegend>
#include <QLineSeries>
#include <QPushButton>
#include <QSaveFile>
#include <QScatterSeries>
#include <QSignalBlocker>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

namespace accelopt::widgets {

namespace {

constexpr int kBetweenFiguresMs = 1000;
constexpr ChartKind kChartKinds[] = {ChartKind::Speedups, ChartKind::Cost, ChartKind::Fast,
                                     ChartKind::Counter};
/// Lines of one chart, one after the other; their dashes differ too.
constexpr Tone kLineTones[] = {Tone::Tensor, Tone::Best,   Tone::Vector,
                               Tone::Scalar, Tone::GpSimd, Tone::Dma};
constexpr Qt::PenStyle kLineDashes[] = {Qt::SolidLine,   Qt::SolidLine,      Qt::DashLine,
                                        Qt::DashDotLine, Qt::DashDotDotLine, Qt::DotLine};

} // namespace

ChartPane::ChartPane(RunDocument *document, const Theme *theme, QWidget *parent)
    : QWidget(parent),
      m_document(document),
      m_theme(theme)
{
    setObjectName(QStringLiteral("chartPane"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(6, 4, 6, 2);
    column->setSpacing(2);
    auto *row = new QHBoxLayout;
    column->addLayout(row);
    m_kind = new QComboBox;
    m_kind->setObjectName(QStringLiteral("chartKind"));
    m_kind->setAccessibleName(tr("Which chart"));
    for (const ChartKind kind : kChartKinds)
        m_kind->addItem(title(kind), int(kind));
    row->addWidget(m_kind);
    m_counter = new QComboBox;
    m_counter->setObjectName(QStringLiteral("chartCounter"));
    m_counter->setAccessibleName(tr("Which counter"));
    row->addWidget(m_counter);
    row->addStretch(1);
    m_image = new QPushButton(tr("Image…"));
    m_image->setToolTip(tr("Save the chart as a picture"));
    m_table = new QPushButton(tr("Data…"));
    m_table->setToolTip(tr("Save the numbers behind the chart as a CSV table"));
    row->addWidget(m_image);
    row->addWidget(m_table);
    auto *middle = new QWidget;
    m_stack = new QStackedLayout(middle);
    m_empty = new QLabel(tr("Charts appear here once kernels have been judged."));
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_stack->addWidget(m_empty);
    m_view = new QChartView;
    m_view->setObjectName(QStringLiteral("chartView"));
    m_view->setAccessibleName(tr("Chart"));
    m_view->setRenderHint(QPainter::Antialiasing);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setMinimumHeight(120);
    m_stack->addWidget(m_view);
    column->addWidget(middle, 1);
    m_remark = new QLabel;
    m_remark->setTextFormat(Qt::PlainText);
    m_remark->setWordWrap(true);
    column->addWidget(m_remark);
    setFocusProxy(m_kind);

    m_wait.setSingleShot(true);
    m_wait.setInterval(kBetweenFiguresMs);
    connect(&m_wait, &QTimer::timeout, this, [this] {
        if (m_stale)
            ask();
    });
    connect(document, &RunDocument::caughtUp, this, [this] {
        m_stale = true;
        ask();
    });
    connect(document, &RunDocument::figuresReady, this, &ChartPane::onFigures);
    connect(document, &RunDocument::closed, this, [this] {
        m_stale = true;
        m_asked = false;
        redraw();
    });
    connect(theme, &Theme::changed, this, &ChartPane::redraw);
    connect(m_kind, &QComboBox::currentIndexChanged, this, &ChartPane::redraw);
    connect(m_counter, &QComboBox::currentIndexChanged, this, &ChartPane::redraw);
    connect(m_image, &QPushButton::clicked, this, &ChartPane::exportImage);
    connect(m_table, &QPushButton::clicked, this, &ChartPane::exportData);
    redraw();
}

ChartKind ChartPane::kind() const
{
    return ChartKind(m_kind->currentData().toInt());
}

void ChartPane::setKind(ChartKind kind)
{
    m_kind->setCurrentIndex(m_kind->findData(int(kind)));
}

void ChartPane::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (m_stale)
        ask();
}

void ChartPane::ask()
{
    if (!isVisible() || m_asked || m_wait.isActive() || !m_document->loaded())
        return;
    m_asked = true;
    m_stale = false;
    m_document->requestFigures();
}

bool ChartPane::settled() const
{
    return !isVisible() || (!m_asked && m_document->figures() != nullptr);
}

void ChartPane::onFigures()
{
    m_asked = false;
    m_wait.start();
    const QSignalBlocker quiet(m_counter);
    const QStringList counters = chartCounters(*m_document->figures());
    const QString before = m_counter->currentText();
    m_counter->clear();
    m_counter->addItems(counters);
    m_counter->setCurrentText(counters.contains(before) ? before : QStringLiteral("latency_ms"));
    redraw();
}

void ChartPane::redraw()
{
    const auto &figures = m_document->figures();
    m_data = figures ? chartData(*figures, kind(), m_counter->currentText()) : ChartData();
    const bool empty = m_data.isEmpty();
    m_stack->setCurrentIndex(empty ? 0 : 1);
    m_counter->setVisible(kind() == ChartKind::Counter);
    m_image->setEnabled(!empty);
    m_table->setEnabled(!empty);
    m_remark->setText(m_data.remark);
    m_remark->setVisible(!m_data.remark.isEmpty());
    QPalette quiet;
    quiet.setColor(QPalette::WindowText, m_theme->color(Tone::QuietText));
    m_remark->setPalette(quiet);
    m_empty->setPalette(quiet);
    if (!empty)
        draw();
}

void ChartPane::draw()
{
    auto *chart = new QChart;
    chart->setTheme(QChart::ChartThemeLight); // replaced by our colours below
    chart->setBackgroundBrush(m_theme->color(Tone::Pane));
    chart->setBackgroundRoundness(0);
    chart->setMargins(QMargins(4, 2, 8, 2));
    chart->setTitle(m_data.title);
    chart->setTitleBrush(m_theme->color(Tone::Text));
    QFont bold = font();
    bold.setBold(true);
    chart->setTitleFont(bold);
    chart->legend()->setLabelColor(m_theme->color(Tone::Text));
    chart->legend()->setAlignment(Qt::AlignRight);
    chart->legend()->setFont(font());
    chart->legend()->setVisible(m_data.lines.size() > 1);

    double low = 1e300, high = -1e300, left = 1e300, right = -1e300;
    const auto take = [&](double x, double y) {
        left = std::min(left, x);
        right = std::max(right, x);
        low = std::min(low, y);
        high = std::max(high, y);
    };
    QList<QAbstractSeries *> all;
    std::size_t place = 0;
    for (const ChartLine &line : m_data.lines) {
        const QColor color = m_theme->color(kLineTones[place % std::size(kLineTones)]);
        QXYSeries *series = nullptr;
        if (line.style == ChartLine::Style::Points) {
            auto *points = new QScatterSeries;
            points->setMarkerSize(7);
            points->setColor(color);
            points->setBorderColor(m_theme->color(Tone::Pane));
            series = points;
        } else {
            series = new QLineSeries;
            series->setPen(QPen(color, 2.2, kLineDashes[place % std::size(kLineDashes)]));
            series->setPointsVisible(line.style == ChartLine::Style::Line &&
                                     line.points.size() < 60);
        }
        series->setName(line.name);
        QList<QPointF> points;
        for (const QPointF &point : line.points) {
            if (line.style == ChartLine::Style::Steps && !points.isEmpty())
                points << QPointF(point.x(), points.back().y());
            points << point;
            take(point.x(), point.y());
        }
        series->replace(points);
        all << series;
        ++place;
    }
    QStringList labels;
    if (!m_data.boxes.empty()) {
        auto *boxes = new QBoxPlotSeries;
        boxes->setPen(QPen(m_theme->color(Tone::Text), 1.2));
        boxes->setBrush(m_theme->color(Tone::FasterPaper));
        for (const ChartBox &box : m_data.boxes) {
            const report::Spread &spread = box.spread;
            boxes->append(new QBoxSet(spread.minimum, spread.lowerQuartile, spread.median,
                                      spread.upperQuartile, spread.maximum, box.label));
            labels << box.label;
            take(0, spread.minimum);
            take(0, spread.maximum);
        }
        all << boxes;
    }
    for (QAbstractSeries *series : all)
        chart->addSeries(series);

    const auto dress = [&](QAbstractAxis *axis, const QString &name, Qt::Alignment where) {
        axis->setTitleText(name);
        axis->setTitleBrush(m_theme->color(Tone::QuietText));
        axis->setTitleFont(font());
        axis->setLabelsBrush(m_theme->color(Tone::Text));
        axis->setLabelsFont(font());
        axis->setGridLineColor(m_theme->color(Tone::Track));
        axis->setLinePenColor(m_theme->color(Tone::Line));
        chart->addAxis(axis, where);
        for (QAbstractSeries *series : all)
            series->attachAxis(axis);
    };
    if (labels.isEmpty()) {
        auto *x = new QValueAxis;
        const bool iterations = kind() != ChartKind::Cost;
        x->setRange(std::min(left, iterations ? 0.0 : left), right + (iterations ? 0.3 : 0));
        x->setLabelFormat(QStringLiteral("%d"));
        if (iterations) {
            x->setTickType(QValueAxis::TicksDynamic);
            x->setTickInterval(std::max(1.0, std::ceil(right / 12)));
        }
        dress(x, m_data.xTitle, Qt::AlignBottom);
    } else {
        auto *x = new QBarCategoryAxis;
        x->append(labels);
        dress(x, m_data.xTitle, Qt::AlignBottom);
    }
    auto *y = new QValueAxis;
    const double air = high > low ? (high - low) * 0.06 : std::max(std::abs(high) * 0.1, 0.1);
    y->setRange(low >= 0 ? std::max(0.0, low - air) : low - air, high + air);
    y->applyNiceNumbers();
    dress(y, m_data.yTitle, Qt::AlignLeft);

    QChart *before = m_view->chart();
    m_view->setChart(chart);
    m_view->setBackgroundBrush(m_theme->color(Tone::Pane));
    m_view->setAccessibleDescription(m_data.title + QStringLiteral(". ") + m_data.remark);
    delete before;
}

bool ChartPane::saveImage(const QString &file) const
{
    return !m_data.isEmpty() && m_view->grab().save(file);
}

bool ChartPane::saveData(const QString &file) const
{
    if (!m_document->figures())
        return false;
    const std::string csv = report::toCsv(chartTable(*m_document->figures(), kind()));
    QSaveFile out(file);
    return out.open(QIODevice::WriteOnly) &&
           out.write(csv.data(), qint64(csv.size())) == qint64(csv.size()) && out.commit();
}

void ChartPane::exportImage()
{
    auto *dialog = new QFileDialog(this, tr("Save the chart"), QFileInfo(m_document->file()).path(),
                                   tr("Images (*.png)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("png"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &file) {
        if (!saveImage(file))
            emit problem(
                tr("The chart cannot be saved as %1; choose a folder you may write in.").arg(file));
    });
    dialog->open();
}

void ChartPane::exportData()
{
    auto *dialog = new QFileDialog(this, tr("Save the numbers"),
                                   QFileInfo(m_document->file()).path(), tr("Tables (*.csv)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &file) {
        if (!saveData(file))
            emit problem(tr("The numbers cannot be saved as %1; choose a folder you may write in.")
                             .arg(file));
    });
    dialog->open();
}

} // namespace accelopt::widgets
