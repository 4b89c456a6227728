// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/whatif/WhatIfPane.h"

#include "widgets/format/Formatting.h"
#include "widgets/run/RunDocument.h"
#include "widgets/window/SelectionHub.h"

#include <QApplication>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QTableWidget>
#include <QThreadPool>
#include <QVBoxLayout>
#include <algorithm>

namespace accelopt::widgets {

namespace {

constexpr int kRefoldAfterMs = 200;
/// Runs with fewer kernels are refolded at once.
constexpr std::size_t kFewKernels = 2000;

enum WhatIfColumn {
    IterationColumn,
    RecordedBeam,
    OtherBeam,
    RecordedBest,
    OtherBest,
    ColumnCount
};

} // namespace

WhatIfPane::WhatIfPane(RunDocument *document, SelectionHub *hub, QWidget *parent)
    : QWidget(parent),
      m_document(document),
      m_hub(hub),
      m_beamPolicy(new QComboBox),
      m_memoryPolicy(new QComboBox),
      m_beamWidth(new QSpinBox),
      m_iterations(new QSpinBox),
      m_patience(new QSpinBox),
      m_gain(new QDoubleSpinBox),
      m_topK(new QSpinBox),
      m_capacity(new QSpinBox),
      m_positive(new QDoubleSpinBox),
      m_negative(new QDoubleSpinBox),
      m_verdict(new QLabel),
      m_table(new QTableWidget(0, ColumnCount))
{
    setObjectName(QStringLiteral("whatIf"));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(6, 4, 6, 4);
    auto *fields = new QWidget;
    auto *form = new QFormLayout(fields);
    form->setContentsMargins(0, 0, 6, 0);
    form->setVerticalSpacing(3);
    for (const BeamPolicy policy :
         {BeamPolicy::Elitist, BeamPolicy::Paper, BeamPolicy::PublishedCode})
        m_beamPolicy->addItem(formatting::text(std::string(name(policy))), int(policy));
    for (const MemoryPolicy policy :
         {MemoryPolicy::Fifo, MemoryPolicy::PublishedCode, MemoryPolicy::Reviewed})
        m_memoryPolicy->addItem(formatting::text(std::string(name(policy))), int(policy));
    m_beamPolicy->setObjectName(QStringLiteral("whatIfBeamPolicy"));
    m_memoryPolicy->setObjectName(QStringLiteral("whatIfMemoryPolicy"));
    m_beamWidth->setObjectName(QStringLiteral("whatIfBeamWidth"));
    m_patience->setObjectName(QStringLiteral("whatIfPatience"));
    m_beamWidth->setRange(1, 1000);
    m_iterations->setRange(1, 100000);
    m_patience->setRange(0, 1000);
    m_patience->setSpecialValueText(tr("off"));
    m_gain->setRange(0, 100);
    m_gain->setSuffix(QStringLiteral(" %"));
    m_topK->setRange(0, 1000);
    m_capacity->setRange(0, 100000);
    m_capacity->setSpecialValueText(tr("unbounded"));
    for (QDoubleSpinBox *box : {m_positive, m_negative}) {
        box->setRange(1, 100);
        box->setSingleStep(0.01);
        box->setSuffix(QStringLiteral("×"));
    }
    form->addRow(tr("Beam policy:"), m_beamPolicy);
    form->addRow(tr("Candidates (B):"), m_beamWidth);
    form->addRow(tr("Iterations (T):"), m_iterations);
    form->addRow(tr("Patience:"), m_patience);
    form->addRow(tr("Least gain:"), m_gain);
    form->addRow(tr("Memory policy:"), m_memoryPolicy);
    form->addRow(tr("Lessons held:"), m_capacity);
    form->addRow(tr("Pairs per iteration:"), m_topK);
    form->addRow(tr("Gain taken from:"), m_positive);
    form->addRow(tr("Loss taken from:"), m_negative);
    auto *back = new QPushButton(tr("As recorded"));
    back->setObjectName(QStringLiteral("whatIfReset"));
    back->setToolTip(tr("All fields as the run was made"));
    form->addRow(back);
    auto *scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(fields);
    scroll->setMinimumWidth(fields->sizeHint().width() + 20);
    row->addWidget(scroll, 0);
    auto *column = new QVBoxLayout;
    row->addLayout(column, 1);
    m_verdict->setObjectName(QStringLiteral("whatIfVerdict"));
    m_verdict->setTextFormat(Qt::PlainText);
    m_verdict->setWordWrap(true);
    column->addWidget(m_verdict);
    m_table->setObjectName(QStringLiteral("whatIfTable"));
    m_table->setAccessibleName(tr("Iterations as recorded and as they would have been"));
    m_table->setHorizontalHeaderLabels(
        {tr("It."), tr("Next beam"), tr("Beam then"), tr("Best"), tr("Best then")});
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setShowGrid(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setTabKeyNavigation(false);
    m_table->horizontalHeader()->setSectionResizeMode(RecordedBeam, QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(OtherBeam, QHeaderView::Stretch);
    m_table->setColumnWidth(IterationColumn, fontMetrics().averageCharWidth() * 6);
    column->addWidget(m_table, 1);
    setFocusProxy(m_beamPolicy);

    m_wait.setSingleShot(true);
    m_wait.setInterval(kRefoldAfterMs);
    connect(&m_wait, &QTimer::timeout, this, &WhatIfPane::refold);
    for (QComboBox *box : {m_beamPolicy, m_memoryPolicy})
        connect(box, &QComboBox::currentIndexChanged, this, &WhatIfPane::schedule);
    for (QSpinBox *box : {m_beamWidth, m_iterations, m_patience, m_topK, m_capacity})
        connect(box, &QSpinBox::valueChanged, this, &WhatIfPane::schedule);
    for (QDoubleSpinBox *box : {m_gain, m_positive, m_negative})
        connect(box, &QDoubleSpinBox::valueChanged, this, &WhatIfPane::schedule);
    connect(back, &QPushButton::clicked, this, &WhatIfPane::takeFromRun);
    connect(document, &RunDocument::closed, this, [this] {
        m_taken = false;
        showResult(nullptr);
    });
    connect(document, &RunDocument::caughtUp, this, [this] {
        if (!m_taken)
            takeFromRun();
        else
            schedule();
    });
    connect(m_table, &QTableWidget::itemSelectionChanged, this, [this] {
        const QTableWidgetItem *item =
            m_table->hasFocus() ? m_table->item(m_table->currentRow(), OtherBest) : nullptr;
        if (item != nullptr)
            if (const KernelId id(item->data(Qt::UserRole).toString().toStdString()); !id.empty())
                m_hub->setCurrent(id);
    });
    showResult(nullptr);
}

WhatIfPane::~WhatIfPane() = default;

void WhatIfPane::takeFromRun()
{
    const search::State &state = m_document->state();
    if (state.phase == search::Phase::NotOpened)
        return;
    m_taken = true;
    m_filling = true;
    // As it was begun: what a person changed later came at a time that a refold has not.
    const RunConfig &config = state.opened.config;
    m_beamPolicy->setCurrentIndex(m_beamPolicy->findData(int(config.beamPolicy)));
    m_memoryPolicy->setCurrentIndex(m_memoryPolicy->findData(int(config.memoryPolicy)));
    m_beamWidth->setValue(config.beamWidth);
    m_iterations->setValue(std::max(config.iterations, state.config.iterations));
    m_patience->setValue(config.patience);
    m_gain->setValue(config.patienceGainPercent);
    m_topK->setValue(config.topK);
    m_capacity->setValue(config.memoryCapacity);
    m_positive->setValue(config.positiveThreshold);
    m_negative->setValue(config.negativeThreshold);
    m_filling = false;
    schedule();
}

RunConfig WhatIfPane::config() const
{
    RunConfig config = m_document->state().opened.config;
    config.beamPolicy = BeamPolicy(m_beamPolicy->currentData().toInt());
    config.memoryPolicy = MemoryPolicy(m_memoryPolicy->currentData().toInt());
    config.beamWidth = m_beamWidth->value();
    config.iterations = m_iterations->value();
    config.patience = m_patience->value();
    config.patienceGainPercent = m_gain->value();
    config.topK = m_topK->value();
    config.memoryCapacity = m_capacity->value();
    config.positiveThreshold = m_positive->value();
    config.negativeThreshold = m_negative->value();
    // Money and minutes passed as they did; they are no policy.
    config.budgetUsd.reset();
    config.budgetMinutes.reset();
    return config;
}

void WhatIfPane::schedule()
{
    if (!m_filling && isVisible())
        m_wait.start();
}

void WhatIfPane::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (!m_taken && m_document->loaded())
        takeFromRun();
    schedule();
}

void WhatIfPane::refold()
{
    if (!m_document->loaded())
        return;
    const quint64 generation = ++m_generation;
    const RunConfig wanted = config();
    if (m_document->kernels().size() < kFewKernels) {
        showResult(std::make_shared<WhatIf>(whatIf(m_document->state(), wanted)));
        return;
    }
    m_verdict->setText(tr("Working it out…"));
    const auto recorded = std::make_shared<const search::State>(m_document->state());
    QThreadPool::globalInstance()->start([recorded, wanted, generation,
                                          pane = QPointer<WhatIfPane>(this),
                                          file = m_document->file()] {
        const auto result = std::make_shared<const WhatIf>(whatIf(*recorded, wanted));
        // Looked at on the pane's own thread, where it cannot end meanwhile.
        QMetaObject::invokeMethod(
            qApp,
            [pane, result, generation, file] {
                if (pane && pane->m_generation == generation && pane->m_document->file() == file)
                    pane->showResult(result);
            },
            Qt::QueuedConnection);
    });
}

QString WhatIfPane::verdictText() const
{
    return m_verdict->text();
}

void WhatIfPane::showResult(std::shared_ptr<const WhatIf> result)
{
    m_shown = std::move(result);
    if (!m_shown) {
        m_table->setRowCount(0);
        m_verdict->setText(tr("The recorded run is searched once more here with other policies and "
                              "thresholds, without asking anybody anything."));
        return;
    }
    const search::State &recorded = m_document->state();
    const search::State &other = m_shown->state;
    QString text;
    if (m_shown->exactIterations == m_shown->answeredIterations)
        text = tr("Valid up to iteration %1 of %2.")
                   .arg(m_shown->answeredIterations)
                   .arg(m_iterations->value());
    else
        text = tr("Valid up to iteration %1; up to iteration %2 the recorded answers were used "
                  "although planners would have been told other lessons.")
                   .arg(m_shown->exactIterations)
                   .arg(m_shown->answeredIterations);
    text += QLatin1Char(' ') +
            (m_shown->finished
                 ? tr("It ends: %1.").arg(formatting::text(m_shown->endsBecause))
                 : tr("It goes no further: %1.").arg(formatting::text(m_shown->endsBecause)));
    if (other.best.empty() || recorded.best.empty())
        text += QString();
    else if (other.best == recorded.best)
        text += tr(" The best kernel is the same.");
    else
        text += tr(" The best kernel would be %1, %2, instead of %3 (simulated).")
                    .arg(m_document->name(other.best),
                         formatting::signedSpeedup(search::speedupOverBaseline(other, other.best)),
                         formatting::signedSpeedup(
                             search::speedupOverBaseline(recorded, recorded.best)));
    m_verdict->setText(text);

    const auto beam = [this](const search::State &state, int row) {
        QStringList names;
        if (row < int(state.iterations.size()))
            for (const KernelId &id : state.iterations[std::size_t(row)].selection.beam)
                names << m_document->name(id);
        return names.join(QStringLiteral(", "));
    };
    const auto best = [](const search::State &state, int row) {
        return row < int(state.iterations.size()) ? state.iterations[std::size_t(row)].best
                                                  : KernelId();
    };
    const int rows = int(std::max(recorded.iterations.size(), other.iterations.size()));
    m_table->setRowCount(rows);
    for (int row = 0; row < rows; ++row) {
        const QString recordedBeam = beam(recorded, row);
        const QString otherBeam = beam(other, row);
        const QString fields[] = {
            QString::number(row + 1), recordedBeam, otherBeam,
            formatting::signedSpeedup(search::speedupOverBaseline(recorded, best(recorded, row))),
            formatting::signedSpeedup(search::speedupOverBaseline(other, best(other, row)))};
        for (int column = 0; column < ColumnCount; ++column) {
            const bool blank = column != IterationColumn && column != RecordedBeam &&
                               column != RecordedBest && row >= int(other.iterations.size());
            auto *item = new QTableWidgetItem(blank ? QStringLiteral("–") : fields[column]);
            QFont font = m_table->font();
            font.setBold(column == OtherBeam && !blank && otherBeam != recordedBeam);
            item->setFont(font);
            if (column == OtherBest)
                item->setData(Qt::UserRole, QString::fromStdString(best(other, row).value));
            m_table->setItem(row, column, item);
        }
    }
}

} // namespace accelopt::widgets
