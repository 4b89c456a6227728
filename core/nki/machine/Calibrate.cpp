// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/machine/Calibrate.h"

#include "core/nki/machine/Simulation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace accelopt::nki {

namespace {

using Values = std::map<std::string, double>;

constexpr std::array<double, 4> kFactors = {0.8, 0.92, 1.08, 1.25};
constexpr double kFarthest = 2;
constexpr int kMostRounds = 3;
constexpr std::size_t kNobody = std::size_t(-1);

/// Latencies of all kernels for values of the constants, each worked out once.
class Predictions
{
public:
    Predictions(const Machine &machine, std::span<const MeasuredProgram> kernels)
        : m_machine(machine),
          m_kernels(kernels)
    {
        for (const MeasuredProgram &kernel : kernels)
            m_simulations.push_back(runSimulation(kernel.program, machine.table()));
    }

    /// In ms, by kernel.
    Result<std::vector<double>> at(const Values &values)
    {
        if (const auto known = m_known.find(values); known != m_known.end())
            return known->second;
        ACCELOPT_TRY(const Machine machine, m_machine.with(values));
        std::vector<double> result;
        for (Simulation &simulation : m_simulations) {
            reprice(simulation, machine.table());
            result.push_back(simulation.timing.latencyNs / 1e6);
        }
        m_known.emplace(values, result);
        return result;
    }

    /// One kernel compiled anew, without the rules that only it is evidence for.
    Result<double> without(const Values &values, std::size_t kernel) const
    {
        Values changed = values;
        for (const auto &[path, number] : m_machine.table().numbers)
            if (number.onlyEvidence == m_kernels[kernel].name)
                changed[path] = number.without;
        ACCELOPT_TRY(const Machine machine, m_machine.with(changed));
        return runSimulation(m_kernels[kernel].program, machine.table()).timing.latencyNs / 1e6;
    }

private:
    const Machine &m_machine;
    std::span<const MeasuredProgram> m_kernels;
    std::vector<Simulation> m_simulations;
    std::map<Values, std::vector<double>> m_known;
};

CalibrationError errorOf(std::span<const CalibrationRow> rows, double CalibrationRow::*predicted)
{
    CalibrationError error;
    for (const CalibrationRow &row : rows) {
        const double relative = std::abs(row.*predicted / row.measuredMs - 1);
        error.mean += relative / double(rows.size());
        error.worst = std::max(error.worst, relative);
    }
    return error;
}

class Refit
{
public:
    Refit(const Machine &machine, std::span<const MeasuredProgram> kernels)
        : m_kernels(kernels),
          m_predictions(machine, kernels)
    {
        for (const std::string &path : fittedConstants(machine.table()))
            m_shipped[path] = machine.table().numbers.at(path).value;
    }

    Result<Calibration> run()
    {
        Calibration result;
        result.shipped = m_shipped;
        ACCELOPT_TRY(const std::vector<double> before, m_predictions.at(m_shipped));
        ACCELOPT_TRY(result.refitted, descend(m_shipped, kNobody));
        ACCELOPT_TRY(const std::vector<double> after, m_predictions.at(result.refitted));
        for (std::size_t k = 0; k < m_kernels.size(); ++k) {
            CalibrationRow row{m_kernels[k].name, m_kernels[k].latencyMs, before[k], after[k], 0};
            ACCELOPT_TRY(const Values others, descend(result.refitted, k));
            ACCELOPT_TRY(row.leftOutMs, m_predictions.without(others, k));
            result.rows.push_back(std::move(row));
        }
        result.shippedError = errorOf(result.rows, &CalibrationRow::shippedMs);
        result.refitError = errorOf(result.rows, &CalibrationRow::refitMs);
        result.leftOutError = errorOf(result.rows, &CalibrationRow::leftOutMs);
        return result;
    }

private:
    /// Mean squared relative error over all kernels but one.
    Result<double> loss(const Values &values, std::size_t leftOut)
    {
        ACCELOPT_TRY(const std::vector<double> predicted, m_predictions.at(values));
        double sum = 0;
        for (std::size_t k = 0; k < predicted.size(); ++k)
            if (k != leftOut)
                sum += std::pow(predicted[k] / m_kernels[k].latencyMs - 1, 2);
        return sum;
    }

    Result<Values> descend(Values values, std::size_t leftOut)
    {
        ACCELOPT_TRY(double best, loss(values, leftOut));
        for (int round = 0; round < kMostRounds; ++round) {
            const double before = best;
            for (const auto &[path, shipped] : m_shipped) {
                const double from = values[path];
                double chosen = from;
                for (const double factor : kFactors) {
                    const double tried = from * factor;
                    if (tried > shipped * kFarthest || tried < shipped / kFarthest)
                        continue;
                    values[path] = tried;
                    ACCELOPT_TRY(const double now, loss(values, leftOut));
                    if (now < best) {
                        best = now;
                        chosen = tried;
                    }
                }
                values[path] = chosen;
            }
            if (best > 0.99 * before)
                break;
        }
        return values;
    }

    std::span<const MeasuredProgram> m_kernels;
    Predictions m_predictions;
    Values m_shipped;
};

} // namespace

std::vector<std::string> fittedConstants(const MachineTable &table)
{
    constexpr std::array<std::string_view, 3> kPrices = {"dma/", "engines/", "latency/launch_ns"};
    std::vector<std::string> paths;
    for (const auto &[path, number] : table.numbers) {
        const bool price = std::ranges::any_of(
            kPrices, [&path = path](std::string_view prefix) { return path.starts_with(prefix); });
        const bool time = path.starts_with("schedule/") && path.ends_with("_ns");
        if (number.fitted && number.value > 0 && (price || time) &&
            !path.starts_with("engines/gpsimd/"))
            paths.push_back(path);
    }
    return paths;
}

Result<Calibration> calibrate(const Machine &machine, std::span<const MeasuredProgram> kernels)
{
    if (kernels.size() < 2) {
        return fail(ErrorCode::WrongUse,
                    fmt::format("{} measured kernels are too few to refit on", kernels.size()),
                    "give a folder with at least two kernels and a CSV with their latencies");
    }
    for (const MeasuredProgram &kernel : kernels) {
        if (!(kernel.latencyMs > 0)) {
            return fail(ErrorCode::WrongUse,
                        fmt::format("{}: a latency of {} ms", kernel.name, kernel.latencyMs),
                        "latencies are milliseconds above 0");
        }
    }
    return Refit(machine, kernels).run();
}

} // namespace accelopt::nki
