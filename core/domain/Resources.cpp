// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/domain/Resources.h"

namespace accelopt {

std::string_view resource(std::string_view path)
{
    for (const auto &[name, text] : embeddedFiles())
        if (name == path)
            return text;
    return {};
}

} // namespace accelopt
