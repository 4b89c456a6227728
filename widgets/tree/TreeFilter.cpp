// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tree/TreeFilter.h"

#include <QCoreApplication>
#include <algorithm>

namespace accelopt::widgets {

namespace {

constexpr FilterChip kFilterChips[] = {FilterChip::Faster, FilterChip::Beam,
                                       FilterChip::MemoryBound, FilterChip::ComputeBound,
                                       FilterChip::Person};

QString onChip(const char *words)
{
    return QCoreApplication::translate("FilterChip", words);
}

} // namespace

std::span<const FilterChip> allFilterChips()
{
    return kFilterChips;
}

QString name(FilterChip chip)
{
    switch (chip) {
    case FilterChip::Faster: return QStringLiteral("faster");
    case FilterChip::Beam: return QStringLiteral("beam");
    case FilterChip::MemoryBound: return QStringLiteral("memory-bound");
    case FilterChip::ComputeBound: return QStringLiteral("compute-bound");
    case FilterChip::Person: return QStringLiteral("person");
    }
    return {};
}

QString text(FilterChip chip)
{
    switch (chip) {
    case FilterChip::Faster: return onChip("≥ 1.2×");
    case FilterChip::Beam: return onChip("In the beam");
    case FilterChip::MemoryBound: return onChip("Memory bound");
    case FilterChip::ComputeBound: return onChip("Compute bound");
    case FilterChip::Person: return onChip("By a person");
    }
    return {};
}

bool fits(const std::set<FilterChip> &chips, const search::KernelRecord &record, double speedup,
          bool inBeam)
{
    return std::all_of(chips.begin(), chips.end(), [&](FilterChip chip) {
        switch (chip) {
        case FilterChip::Faster: return speedup >= kFasterChip;
        case FilterChip::Beam: return inBeam;
        case FilterChip::MemoryBound: return record.profile.bound == "memory";
        case FilterChip::ComputeBound:
            return !record.profile.bound.empty() && record.profile.bound != "memory";
        case FilterChip::Person:
            return record.origin == search::Origin::Human || record.pinned || record.dropped;
        }
        return true;
    });
}

} // namespace accelopt::widgets
