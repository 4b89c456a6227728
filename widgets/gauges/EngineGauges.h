// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Profile.h"
#include "widgets/theme/Theme.h"

#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

namespace accelopt::widgets {

/// One bar: how much of the kernel's time an engine was busy.
struct GaugeRow
{
    QString label;
    QString help;
    Tone tone = Tone::Accent;
    double value = 0;                ///< 0 to 1
    std::optional<double> reference; ///< the same of what it is compared with
};

/// The bars of a profile, in the order in which they are shown: tensor, vector, scalar, GpSimd,
/// DMA, then the share of the peak where the task has one.
std::vector<GaugeRow> gaugeRows(const Profile &profile, const Profile *reference);

/// Bars with a tick where the baseline stands, and the figures beside them.
class EngineGauges : public QWidget
{
    Q_OBJECT

public:
    explicit EngineGauges(const Theme *theme, QWidget *parent = nullptr);

    void setRows(std::vector<GaugeRow> rows);
    const std::vector<GaugeRow> &rows() const { return m_rows; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

private:
    int rowHeight() const;
    int titleHeight() const;

    const Theme *m_theme;
    std::vector<GaugeRow> m_rows;
};

} // namespace accelopt::widgets
