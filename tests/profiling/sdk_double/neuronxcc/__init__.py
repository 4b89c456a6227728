# SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A double of the Neuron SDK for tests of the protocol: numpy in place of a device. No figure of it means anything."""
__version__ = "0.0.double"
