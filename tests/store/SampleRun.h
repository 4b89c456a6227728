// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/store/RunFile.h"

#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace accelopt::tests {

/// Events with the texts they name.
struct Batch
{
    std::vector<Event> events;
    std::vector<Text> texts;
};

Event eventOf(EventBody body, std::string actor = "offline");

/// The first event of a run on a baseline kernel "k0".
Batch openedRun();

/// A small run in which every kind of event occurs: two iterations, a duplicate, a wrong kernel, a
/// failed call, two items, decisions, a confirmation and an end. One batch for each moment at which
/// a run writes.
std::vector<Batch> sampleRun();

/// Events that make sense one by one, in any order, for comparing what two ways make of the same
/// log.
Batch randomBatch(std::mt19937 &random);

/// `count` bytes that do not compress.
std::string randomBytes(std::mt19937 &random, std::size_t count);

/// Options with a clock that counts 1000, 1001, ...
store::RunFileOptions countingClock();

/// Makes a closed run file with these batches in it; throws when that fails.
void writeRun(const std::filesystem::path &file, const std::vector<Batch> &batches);

/// Makes a closed run file with sampleRun() in it. Writes to the disk once only, so it is quick.
void writeSampleRun(const std::filesystem::path &file);

/// All view tables as text, one line per row, for comparison.
std::string viewsAsText(store::RunFile &file);

/// Names of what is in the folder with the hashes of the contents, one line each.
std::string folderAsText(const std::filesystem::path &folder);

std::string readBytes(const std::filesystem::path &file);
void writeBytes(const std::filesystem::path &file, const std::string &bytes);

} // namespace accelopt::tests
