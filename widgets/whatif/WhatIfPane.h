// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/RunConfig.h"
#include "widgets/whatif/WhatIf.h"

#include <QTimer>
#include <QWidget>
#include <memory>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QSpinBox;
class QTableWidget;

namespace accelopt::widgets {

class RunDocument;
class SelectionHub;

/// The recorded run under other policies, thresholds and patience: what the search would have kept,
/// and up to which iteration that can be said.
class WhatIfPane : public QWidget
{
    Q_OBJECT

public:
    WhatIfPane(RunDocument *document, SelectionHub *hub, QWidget *parent = nullptr);
    ~WhatIfPane() override;

    /// The configuration that the fields say.
    RunConfig config() const;
    /// What is on screen; nullptr before the first time.
    const WhatIf *shown() const { return m_shown.get(); }
    /// How far it holds, in a sentence or two.
    QString verdictText() const;

public slots:
    /// The fields as the run was made.
    void takeFromRun();

protected:
    void showEvent(QShowEvent *event) override;

private:
    void schedule();
    void refold();
    void showResult(std::shared_ptr<const WhatIf> result);

    RunDocument *m_document;
    SelectionHub *m_hub;
    QComboBox *m_beamPolicy;
    QComboBox *m_memoryPolicy;
    QSpinBox *m_beamWidth;
    QSpinBox *m_iterations;
    QSpinBox *m_patience;
    QDoubleSpinBox *m_gain;
    QSpinBox *m_topK;
    QSpinBox *m_capacity;
    QDoubleSpinBox *m_positive;
    QDoubleSpinBox *m_negative;
    QLabel *m_verdict;
    QTableWidget *m_table;
    std::shared_ptr<const WhatIf> m_shown;
    QTimer m_wait;
    bool m_filling = false;
    bool m_taken = false; ///< the fields are those of the open run, or changed from them
    quint64 m_generation = 0;
};

} // namespace accelopt::widgets
