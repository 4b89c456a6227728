// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Profile.h"
#include "core/domain/Verdict.h"

#include <QString>
#include <string>

/// Figures and words of the field as people read them on screen; the only place where they are
/// made.
namespace accelopt::widgets::formatting {

/// "12.35 ms", "0.1571 ms": four significant digits, in the unit of every other output.
QString latency(double milliseconds);
/// The latency with the word "simulated" where no hardware was measured.
QString latency(const Profile &profile);
/// "simulated on trn1" or "measured on trn1".
QString kindOfFigure(const Profile &profile);
/// "11.9 to 12.8 ms"
QString interval(const Interval &interval);
/// "1.83×"; three decimals close to 1, where the difference would otherwise be rounded away. An
/// en dash when unknown (not above 0).
QString speedup(double factor);
/// The speedup with its direction as a sign: "▲ 1.83×", "▼ 0.91×", "= 1×".
QString signedSpeedup(double factor);
/// A share of 0 to 1 as "78 %", below one per cent as "0.4 %".
QString share(double fraction);
/// "1.25 GB", "640 B": three significant digits, powers of 1000.
QString bytes(double count);
/// "49.2 %" of 0 to 100.
QString percentOfPeak(double percent);
/// "k12", "baseline" for 0.
QString kernelName(int number);
/// "does not compile"
QString verdict(VerdictStatus status);
/// One character for the verdict: ✓ or what went wrong.
QString verdictSign(VerdictStatus status);
/// "memory bound"; empty for an unknown bound.
QString bound(const std::string &bound);
/// "1 kernel", "3 kernels"
QString count(qint64 n, const QString &one, const QString &many);
QString text(const std::string &utf8);
/// A snippet without the indentation that all its lines share.
QString snippet(const std::string &utf8);

} // namespace accelopt::widgets::formatting
