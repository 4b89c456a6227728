// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"

#include <QObject>

namespace accelopt::widgets {

/// Which kernels the person looks at. Every pane listens here; none talks to another.
class SelectionHub : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

    /// The kernel that the card, the details and the right side of the comparison show.
    const KernelId &current() const { return m_current; }
    /// What it is compared with; empty: its parent.
    const KernelId &second() const { return m_second; }
    const KernelId &hovered() const { return m_hovered; }

public slots:
    /// Also forgets the second kernel, which belonged to the old one.
    void setCurrent(const accelopt::KernelId &kernel);
    void setSecond(const accelopt::KernelId &kernel);
    void setHovered(const accelopt::KernelId &kernel);
    /// Compares the other way round.
    void setBoth(const accelopt::KernelId &current, const accelopt::KernelId &second);
    void clear();

signals:
    void selectionChanged();
    void hoverChanged();

private:
    KernelId m_current;
    KernelId m_second;
    KernelId m_hovered;
};

} // namespace accelopt::widgets
