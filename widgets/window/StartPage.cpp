// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/window/StartPage.h"

#include "core/bench/TaskCatalogue.h"
#include "core/bench/TaskLoader.h"
#include "widgets/format/Formatting.h"
#include "widgets/theme/Theme.h"

#include <QComboBox>
#include <QDateTime>
#include <QDir>
#include <QFormLayout>
#include <QGroupBox>
#include <QLabel>
#include <QListWidget>
#include <QLocale>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace accelopt::widgets {

namespace {

constexpr int kMostRecent = 20;

} // namespace

StartPage::StartPage(std::filesystem::path programFolder, const Theme *theme, QWidget *parent)
    : QWidget(parent),
      m_programFolder(std::move(programFolder)),
      m_theme(theme)
{
    setObjectName(QStringLiteral("startPage"));
    auto *outer = new QHBoxLayout(this);
    auto *middle = new QWidget;
    middle->setMaximumWidth(920);
    outer->addStretch(1);
    outer->addWidget(middle, 8);
    outer->addStretch(1);
    auto *column = new QVBoxLayout(middle);
    column->setContentsMargins(24, 24, 24, 24);
    column->setSpacing(14);
    column->addStretch(1);
    auto *title = new QLabel(tr("AccelOpt Workbench"));
    QFont large = font();
    large.setPointSizeF(font().pointSizeF() * 2);
    large.setBold(true);
    title->setFont(large);
    column->addWidget(title);
    auto *what = new QLabel(tr("Agents make NKI kernels for AWS Trainium faster; watch them, steer "
                               "them and see why. Everything here works offline: the agents and "
                               "the simulator are built in, and all figures are simulated."));
    what->setWordWrap(true);
    column->addWidget(what);

    auto *halves = new QHBoxLayout;
    halves->setSpacing(18);
    column->addLayout(halves, 6);
    auto *searchBox = new QGroupBox(tr("Start a search"));
    auto *form = new QFormLayout(searchBox);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setVerticalSpacing(10);
    m_task = new QComboBox;
    m_task->setObjectName(QStringLiteral("startTask"));
    m_task->setMinimumContentsLength(18);
    m_taskText = new QLabel;
    m_preset = new QComboBox;
    m_preset->setObjectName(QStringLiteral("startPreset"));
    m_presetText = new QLabel;
    m_shape = new QComboBox;
    m_shape->setObjectName(QStringLiteral("startShape"));
    m_seed = new QSpinBox;
    m_seed->setRange(0, 999999);
    for (QLabel *label : {m_taskText, m_presetText}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setMinimumHeight(2 * fontMetrics().lineSpacing());
        label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    }
    const auto addField = [form](const QString &name, QWidget *field) {
        auto *label = new QLabel(name);
        label->setBuddy(field);
        // The mnemonic's line makes some fonts a little wider than they say.
        label->setMinimumWidth(label->sizeHint().width() + 6);
        form->addRow(label, field);
    };
    addField(tr("&Task"), m_task);
    form->addRow(QString(), m_taskText);
    addField(tr("&Shape"), m_shape);
    addField(tr("&Preset"), m_preset);
    form->addRow(QString(), m_presetText);
    addField(tr("See&d"), m_seed);
    m_start = new QPushButton(tr("Start the &search"));
    m_start->setObjectName(QStringLiteral("startSearch"));
    m_start->setDefault(true);
    m_start->setMinimumHeight(34);
    form->addRow(QString(), m_start);
    halves->addWidget(searchBox, 1);

    auto *runsBox = new QGroupBox(tr("Recent runs"));
    auto *runs = new QVBoxLayout(runsBox);
    m_recent = new QListWidget;
    m_recent->setObjectName(QStringLiteral("recentRuns"));
    m_recent->setAccessibleName(tr("Recent runs"));
    m_recent->setFrameShape(QFrame::NoFrame);
    m_recentText = new QLabel(tr("Runs are kept in your data folder; the first one will be listed "
                                 "here."));
    m_recentText->setWordWrap(true);
    m_recentText->setAlignment(Qt::AlignTop);
    runs->addWidget(m_recent, 1);
    runs->addWidget(m_recentText, 1);
    auto *browse = new QPushButton(tr("&Open a run file…"));
    browse->setMinimumHeight(34);
    runs->addWidget(browse);
    halves->addWidget(runsBox, 1);
    column->addStretch(1);

    for (const std::string &name : presetNames())
        m_preset->addItem(formatting::text(name));
    connect(m_task, &QComboBox::currentTextChanged, this, &StartPage::onTaskChanged);
    const auto onPreset = [this] {
        const auto config = preset(m_preset->currentText().toStdString());
        if (config)
            m_presetText->setText(
                tr("%1 iterations, a beam of %2 kernels, %3 plans for each, at most %4 kernels")
                    .arg(config->iterations)
                    .arg(config->beamWidth)
                    .arg(config->plansPerCandidate)
                    .arg(config->plansPerCandidate * config->attemptsPerPlan *
                         (1 + (config->iterations - 1) * config->beamWidth)));
    };
    connect(m_preset, &QComboBox::currentTextChanged, this, onPreset);
    m_preset->setCurrentText(QStringLiteral("quick"));
    onPreset();
    connect(m_start, &QPushButton::clicked, this, [this] {
        const auto wanted = request();
        if (wanted)
            emit searchWanted(*wanted);
        else
            emit problem(formatting::text(describe(wanted.error())));
    });
    connect(browse, &QPushButton::clicked, this, &StartPage::browseWanted);
    connect(m_recent, &QListWidget::itemActivated, this, [this](const QListWidgetItem *item) {
        emit fileWanted(item->data(Qt::UserRole).toString());
    });
    connect(m_recent, &QListWidget::itemClicked, this, [this](const QListWidgetItem *item) {
        emit fileWanted(item->data(Qt::UserRole).toString());
    });
    connect(theme, &Theme::changed, this, &StartPage::tint);
    tint();
    refresh();
}

void StartPage::tint()
{
    for (QLabel *label : {m_taskText, m_presetText, m_recentText}) {
        QPalette palette; // only this role: the others follow the window
        palette.setColor(QPalette::WindowText, m_theme->color(Tone::QuietText));
        label->setPalette(palette);
    }
}

void StartPage::refresh()
{
    const QString before = m_task->currentText();
    m_task->clear();
    for (const std::string &name : bench::TaskCatalogue::standard(m_programFolder).names())
        m_task->addItem(formatting::text(name));
    m_task->setCurrentText(before.isEmpty() ? QStringLiteral("silu") : before);
    m_start->setEnabled(m_task->count() > 0);
    if (m_task->count() == 0)
        m_taskText->setText(
            tr("No tasks were found beside the program. Reinstall it, or name their "
               "folder in ACCELOPT_NKIBENCH."));

    m_recent->clear();
    const QDir folder(QString::fromStdString((bench::userDataFolder() / "runs").string()));
    const QFileInfoList files =
        folder.entryInfoList({QStringLiteral("*.accelopt")}, QDir::Files, QDir::Time);
    for (const QFileInfo &file : files.mid(0, kMostRecent)) {
        auto *item =
            new QListWidgetItem(file.completeBaseName() + QStringLiteral("\n") +
                                QLocale().toString(file.lastModified(), QLocale::ShortFormat));
        item->setData(Qt::UserRole, file.absoluteFilePath());
        item->setToolTip(file.absoluteFilePath());
        m_recent->addItem(item);
    }
    m_recent->setVisible(m_recent->count() > 0);
    m_recentText->setVisible(m_recent->count() == 0);
}

void StartPage::onTaskChanged()
{
    m_shape->clear();
    const auto catalogue = bench::TaskCatalogue::standard(m_programFolder);
    const std::string name = m_task->currentText().toStdString();
    for (const bench::TaskEntry &entry : catalogue.entries()) {
        if (entry.name != name)
            continue;
        if (const auto shapes = bench::taskShapeNames(entry.folder))
            for (const std::string &shape : *shapes)
                m_shape->addItem(formatting::text(shape));
        if (const auto task = catalogue.load(name, {}))
            m_taskText->setText(
                formatting::text(task->description.empty() ? task->title : task->description));
        else
            m_taskText->setText(formatting::text(describe(task.error())));
    }
}

Result<runner::RunRequest> StartPage::request() const
{
    runner::RunRequest request;
    ACCELOPT_TRY(request.config, preset(m_preset->currentText().toStdString()));
    request.task = m_task->currentText().toStdString();
    if (m_shape->count() > 0)
        request.config.shape = m_shape->currentText().toStdString();
    request.config.seed = std::uint64_t(m_seed->value());
    return request;
}

} // namespace accelopt::widgets
