// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rewrite/Rewrite.h"

#include <string>

namespace accelopt::agents {

/// The rewrite that a text means: the one it names, else the one with the longest of its keywords
/// found in it, else nullptr.
const rewrite::Rewrite *rewriteMeant(const std::string &text);
/// How many words of a site's title (names and numbers of the kernel) a text mentions.
int wordsShared(const std::string &title, const std::string &text);
/// Names of all rewrites, for a message.
std::string rewriteNames();

} // namespace accelopt::agents
