// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/dialogs/ContinueDialog.h"

#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

namespace accelopt::widgets {

namespace {

/// How many iterations more are offered.
constexpr int kFurtherIterations = 4;

} // namespace

ContinueDialog::ContinueDialog(const RunConfig &config, int done, const QString &ended,
                               QWidget *parent)
    : QDialog(parent),
      m_config(config),
      m_iterations(new QSpinBox),
      m_patience(new QSpinBox),
      m_kernels(new QSpinBox),
      m_usd(new QDoubleSpinBox),
      m_minutes(new QDoubleSpinBox)
{
    setObjectName(QStringLiteral("continueDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Go on with the run"));
    auto *column = new QVBoxLayout(this);
    auto *explanation =
        new QLabel((ended.isEmpty() ? QString() : tr("The run ended: %1. ").arg(ended)) +
                   tr("It goes on from where it is; nothing is asked or judged twice."));
    explanation->setTextFormat(Qt::PlainText);
    explanation->setWordWrap(true);
    column->addWidget(explanation);
    auto *form = new QFormLayout;
    column->addLayout(form);
    m_iterations->setObjectName(QStringLiteral("continueIterations"));
    m_iterations->setRange(std::max(1, done), 100000);
    m_iterations->setValue(std::max(config.iterations, done) +
                           (config.iterations <= done ? kFurtherIterations : 0));
    form->addRow(tr("&Iterations in all:"), m_iterations);
    m_patience->setObjectName(QStringLiteral("continuePatience"));
    m_patience->setRange(0, 1000);
    m_patience->setSpecialValueText(tr("off"));
    m_patience->setValue(config.patience);
    form->addRow(tr("&Patience (iterations without gain):"), m_patience);
    m_kernels->setObjectName(QStringLiteral("continueKernels"));
    m_kernels->setRange(0, 1000000);
    m_kernels->setSpecialValueText(tr("no limit"));
    m_kernels->setValue(config.budgetKernels.value_or(0));
    form->addRow(tr("&Kernels in all:"), m_kernels);
    m_usd->setRange(0, 1e6);
    m_usd->setSpecialValueText(tr("no limit"));
    m_usd->setPrefix(QStringLiteral("$"));
    m_usd->setValue(config.budgetUsd.value_or(0));
    form->addRow(tr("&Money in all:"), m_usd);
    m_minutes->setRange(0, 1e6);
    m_minutes->setSpecialValueText(tr("no limit"));
    m_minutes->setSuffix(tr(" min"));
    m_minutes->setValue(config.budgetMinutes.value_or(0));
    form->addRow(tr("&Time in all:"), m_minutes);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    buttons->addButton(tr("Go on"), QDialogButtonBox::AcceptRole)->setDefault(true);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(this, &QDialog::accepted, this, [this] { emit given(this->config()); });
}

RunConfig ContinueDialog::config() const
{
    RunConfig config = m_config;
    config.iterations = m_iterations->value();
    config.patience = m_patience->value();
    const auto take = [](auto &bound, auto value) {
        if (value > 0)
            bound = value;
        else
            bound.reset();
    };
    take(config.budgetKernels, m_kernels->value());
    take(config.budgetUsd, m_usd->value());
    take(config.budgetMinutes, m_minutes->value());
    return config;
}

} // namespace accelopt::widgets
