// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/RunConfig.h"

#include <QDialog>
#include <QString>

class QDoubleSpinBox;
class QSpinBox;

namespace accelopt::widgets {

/// Asks how far a run goes that is gone on with: more iterations, patience, budgets.
class ContinueDialog : public QDialog
{
    Q_OBJECT

public:
    /// `done` are the iterations that the run has had; `ended` says why it ended, for people.
    ContinueDialog(const RunConfig &config, int done, const QString &ended, QWidget *parent);

    /// As the fields stand.
    RunConfig config() const;

signals:
    void given(const accelopt::RunConfig &config);

private:
    RunConfig m_config;
    QSpinBox *m_iterations;
    QSpinBox *m_patience;
    QSpinBox *m_kernels;
    QDoubleSpinBox *m_usd;
    QDoubleSpinBox *m_minutes;
};

} // namespace accelopt::widgets
