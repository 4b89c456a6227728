// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/format/Formatting.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <cmath>

namespace accelopt::widgets::formatting {

namespace {

QString tr(const char *sentence)
{
    return QCoreApplication::translate("formatting", sentence);
}

/// Four significant digits without an exponent.
QString figure(double value)
{
    if (!std::isfinite(value))
        return QStringLiteral("–");
    const double size = std::fabs(value);
    const int whole = size > 0 ? int(std::floor(std::log10(size))) + 1 : 1;
    return QLocale().toString(value, 'f', std::max(0, 4 - whole));
}

} // namespace

QString latency(double milliseconds)
{
    if (!std::isfinite(milliseconds) || milliseconds <= 0)
        return QStringLiteral("–");
    return figure(milliseconds) + QStringLiteral(" ms");
}

QString latency(const Profile &profile)
{
    return profile.simulated ? tr("%1 simulated").arg(latency(profile.latencyMs))
                             : latency(profile.latencyMs);
}

QString kindOfFigure(const Profile &profile)
{
    return (profile.simulated ? tr("simulated on %1") : tr("measured on %1"))
        .arg(text(profile.device));
}

QString interval(const Interval &interval)
{
    if (interval.high <= 0 || interval.high < interval.low)
        return {};
    return tr("%1 to %2 ms").arg(figure(interval.low), figure(interval.high));
}

QString speedup(double factor)
{
    if (!std::isfinite(factor) || factor <= 0)
        return QStringLiteral("–");
    const double away = std::fabs(factor - 1);
    int decimals = 2;
    if (away < 0.0005)
        decimals = 0;
    else if (away < 0.05)
        decimals = 3;
    else if (factor >= 100)
        decimals = 0;
    else if (factor >= 10)
        decimals = 1;
    return QLocale().toString(factor, 'f', decimals) + QStringLiteral("×");
}

QString signedSpeedup(double factor)
{
    if (!std::isfinite(factor) || factor <= 0)
        return QStringLiteral("–");
    QString sign = QStringLiteral("= ");
    if (factor >= 1.0005)
        sign = QStringLiteral("▲ ");
    else if (factor <= 0.9995)
        sign = QStringLiteral("▼ ");
    return sign + speedup(factor);
}

QString share(double fraction)
{
    if (!std::isfinite(fraction))
        return QStringLiteral("–");
    const double percent = fraction * 100;
    const int decimals = percent > 0 && percent < 1 ? 1 : 0;
    return QLocale().toString(percent, 'f', decimals) + QStringLiteral(" %");
}

QString bytes(double count)
{
    static constexpr const char *kByteUnits[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    while (count >= 999.5 && unit < 4) {
        count /= 1000;
        ++unit;
    }
    return QStringLiteral("%1 %2").arg(QLocale().toString(count, 'g', 3),
                                       QString::fromLatin1(kByteUnits[unit]));
}

QString percentOfPeak(double percent)
{
    if (!std::isfinite(percent))
        return QStringLiteral("–");
    return QLocale().toString(percent, 'f', 1) + QStringLiteral(" %");
}

QString kernelName(int number)
{
    if (number < 0)
        return QStringLiteral("–");
    return number == 0 ? tr("baseline") : QStringLiteral("k%1").arg(number);
}

QString verdict(VerdictStatus status)
{
    switch (status) {
    case VerdictStatus::Correct: return tr("correct");
    case VerdictStatus::Wrong: return tr("wrong result");
    case VerdictStatus::NotCompiling: return tr("does not compile");
    case VerdictStatus::RunFailed: return tr("run failed");
    case VerdictStatus::Suspicious: return tr("suspicious");
    case VerdictStatus::Unsupported: return tr("unsupported");
    }
    return {};
}

QString verdictSign(VerdictStatus status)
{
    switch (status) {
    case VerdictStatus::Correct: return QStringLiteral("✓");
    case VerdictStatus::Wrong: return QStringLiteral("≠");
    case VerdictStatus::NotCompiling: return QStringLiteral("✗");
    case VerdictStatus::RunFailed: return QStringLiteral("!");
    case VerdictStatus::Suspicious: return QStringLiteral("?");
    case VerdictStatus::Unsupported: return QStringLiteral("–");
    }
    return {};
}

QString bound(const std::string &bound)
{
    return bound.empty() ? QString() : tr("%1 bound").arg(text(bound));
}

QString count(qint64 n, const QString &one, const QString &many)
{
    return QLocale().toString(n) + QLatin1Char(' ') + (n == 1 ? one : many);
}

QString text(const std::string &utf8)
{
    return QString::fromStdString(utf8);
}

QString snippet(const std::string &utf8)
{
    QStringList lines = text(utf8).split(QLatin1Char('\n'));
    while (!lines.isEmpty() && lines.back().trimmed().isEmpty())
        lines.removeLast();
    qsizetype shared = -1;
    for (const QString &line : lines) {
        qsizetype indent = 0;
        while (indent < line.size() && line[indent] == QLatin1Char(' '))
            ++indent;
        if (indent < line.size() && (shared < 0 || indent < shared))
            shared = indent;
    }
    for (QString &line : lines)
        line.remove(0, std::max<qsizetype>(0, shared));
    return lines.join(QLatin1Char('\n'));
}

} // namespace accelopt::widgets::formatting
