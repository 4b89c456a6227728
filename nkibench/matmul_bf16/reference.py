# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later


def reference(lhs, rhs):
    """The operands are bfloat16 values, their products and sums are not rounded to it."""
    return lhs @ rhs
