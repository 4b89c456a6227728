// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/window/SelectionHub.h"

namespace accelopt::widgets {

void SelectionHub::setCurrent(const KernelId &kernel)
{
    setBoth(kernel, kernel == m_current ? m_second : KernelId());
}

void SelectionHub::setSecond(const KernelId &kernel)
{
    setBoth(m_current, kernel == m_current ? KernelId() : kernel);
}

void SelectionHub::setHovered(const KernelId &kernel)
{
    if (m_hovered == kernel)
        return;
    m_hovered = kernel;
    emit hoverChanged();
}

void SelectionHub::setBoth(const KernelId &current, const KernelId &second)
{
    if (m_current == current && m_second == second)
        return;
    m_current = current;
    m_second = second;
    emit selectionChanged();
}

void SelectionHub::clear()
{
    setHovered({});
    setBoth({}, {});
}

} // namespace accelopt::widgets
