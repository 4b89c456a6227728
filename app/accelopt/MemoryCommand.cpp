// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/Commands.h"
#include "app/accelopt/Terminal.h"
#include "core/domain/JsonFields.h"
#include "core/runner/CarriedMemory.h"
#include "core/search/Fold.h"
#include "core/store/RunFile.h"
#include "core/store/RunReader.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace accelopt::cli {

namespace {

using nlohmann::json;

struct MemoryOptions
{
    std::string file;
    std::vector<std::string> approve, reject, pin, unpin, shelve;
    std::string reason;
    bool asJson = false;

    bool decides() const
    {
        return !approve.empty() || !reject.empty() || !pin.empty() || !unpin.empty();
    }
};

json itemJson(const ExperienceItem &item)
{
    return {{"id", item.id.value},       {"title", item.title},     {"strategy", item.strategy},
            {"positive", item.positive}, {"speedup", item.speedup}, {"before", item.before},
            {"after", item.after},       {"tags", item.tags}};
}

/// The name of a lesson with its title, short enough for a line.
std::string nameOf(const ExperienceItem &item)
{
    constexpr std::size_t kMostLetters = 56;
    const std::string &title = item.title;
    return item.id.value + "  " +
           (title.size() <= kMostLetters ? title : title.substr(0, kMostLetters - 3) + "...");
}

std::string tagsText(const ExperienceItem &item)
{
    std::string text;
    for (const char *name : {"operator", "bound", "dialect"})
        if (const auto found = item.tags.find(name); found != item.tags.end())
            text += (text.empty() ? "" : ", ") + found->second;
    return text;
}

void printMemory(const search::State &state, const std::string &file, Output output)
{
    if (output == Output::Json) {
        json items = json::array();
        for (const search::MemoryItem &one : state.items) {
            json item = itemJson(one.item);
            item["status"] = name(one.status);
            item["pinned"] = one.pinned;
            item["edited"] = one.edited;
            item["author"] = one.author;
            item["prompts"] = one.prompts;
            item["wins"] = one.wins;
            item["why"] = one.fate.text;
            items.push_back(std::move(item));
        }
        json memory = json::array();
        for (const std::size_t index : state.active)
            memory.push_back(state.items[index].item.id.value);
        Terminal::result(json{
            {"file", file},
            {"policy", name(state.config.memoryPolicy)},
            {"capacity", state.config.memoryCapacity},
            {"memory", memory},
            {"items", items}}.dump(2));
        return;
    }
    if (state.items.empty()) {
        Terminal::result("the run has learnt nothing yet");
        return;
    }
    std::vector<std::vector<std::string>> rows{
        {"lesson", "status", "gain", "prompts", "wins", "about"}};
    for (const search::MemoryItem &one : state.items)
        rows.push_back(
            {nameOf(one.item), std::string(name(one.status)) + (one.pinned ? ", pinned" : ""),
             fmt::format("{}{:.3f}x", one.item.positive ? "+" : "-", one.item.speedup),
             fmt::format("{}", one.prompts), fmt::format("{}", one.wins), tagsText(one.item)});
    Terminal::result(table(rows));
}

int printShelf(Output output)
{
    const auto shelf = runner::readShelf();
    if (!shelf)
        return tell(shelf.error());
    if (output == Output::Json) {
        json items = json::array();
        for (const runner::ShelfItem &shelved : *shelf) {
            json item = itemJson(shelved.item);
            item["transfers"] = json::array();
            for (const runner::Transfer &transfer : shelved.transfers)
                item["transfers"].push_back(
                    {{"task", transfer.task},
                     {"items", transfer.items},
                     {"first_with", json_fields::orNull(transfer.firstWith)},
                     {"first_without", json_fields::orNull(transfer.firstWithout)},
                     {"final_with", json_fields::orNull(transfer.finalWith)},
                     {"final_without", json_fields::orNull(transfer.finalWithout)}});
            items.push_back(std::move(item));
        }
        Terminal::result(json{{"items", items}}.dump(2));
        return 0;
    }
    if (shelf->empty()) {
        Terminal::result("the shelf is empty");
        return 0;
    }
    std::vector<std::vector<std::string>> rows{
        {"lesson", "gain", "about", "carried into", "first iteration", "at the end"}};
    const auto pair = [](const std::optional<double> &with, const std::optional<double> &without) {
        return with && without ? fmt::format("{:.3f}x with, {:.3f}x without", *with, *without)
                               : std::string("-");
    };
    for (const runner::ShelfItem &shelved : *shelf) {
        const ExperienceItem &item = shelved.item;
        const std::string gain = fmt::format("{}{:.3f}x", item.positive ? "+" : "-", item.speedup);
        if (shelved.transfers.empty())
            rows.push_back({nameOf(item), gain, tagsText(item), "-", "-", "-"});
        for (const runner::Transfer &transfer : shelved.transfers)
            rows.push_back({nameOf(item), gain, tagsText(item),
                            fmt::format("{}, one of {}", transfer.task, transfer.items),
                            pair(transfer.firstWith, transfer.firstWithout),
                            pair(transfer.finalWith, transfer.finalWithout)});
    }
    Terminal::result(table(rows));
    return 0;
}

std::vector<Event> decisionsOf(const MemoryOptions &options)
{
    std::vector<Event> events;
    const auto add = [&](Decision decision, const std::vector<std::string> &ids) {
        for (const std::string &id : ids) {
            PersonDecided decided;
            decided.decision = decision;
            decided.item = ItemId(id);
            decided.reason = options.reason;
            events.push_back({0, "human", 0, decided});
        }
    };
    add(Decision::ApproveItem, options.approve);
    add(Decision::RejectItem, options.reject);
    add(Decision::PinItem, options.pin);
    add(Decision::UnpinItem, options.unpin);
    return events;
}

/// Writes the decisions, all or none.
Result<search::State> decide(const MemoryOptions &options)
{
    auto file = store::RunFile::openForWriting(options.file);
    if (!file && file.error().code == ErrorCode::Busy)
        return fail(
            ErrorCode::Busy,
            fmt::format("another process writes {} now, and only it may decide", options.file),
            "wait for its end, or stop it first; look at its memory without an option");
    if (!file)
        return tl::unexpected(file.error());
    ACCELOPT_TRY(const std::vector<Event> before, file->eventsAfter(0));
    search::State state = search::fold(before);
    std::vector<Event> decisions = decisionsOf(options);
    for (const Event &decision : decisions) {
        const std::size_t complaints = state.complaints.size();
        search::apply(state, decision);
        if (state.complaints.size() > complaints) {
            const std::string &complaint = state.complaints.back();
            const std::size_t at = complaint.find(": ");
            return fail(ErrorCode::WrongUse, complaint.substr(at == std::string::npos ? 0 : at + 2),
                        "`accelopt memory FILE` lists the lessons; nothing was changed");
        }
    }
    ACCELOPT_CHECK(file->append(decisions, {}));
    ACCELOPT_CHECK(file->close());
    return state;
}

Result<search::State> readState(const std::string &file)
{
    ACCELOPT_TRY(store::RunReader reader, store::RunReader::openForReading(file));
    ACCELOPT_TRY(const std::vector<Event> events, reader.eventsAfter(0));
    search::State state = search::fold(events);
    if (state.phase == search::Phase::NotOpened)
        return fail(ErrorCode::Format, fmt::format("the run file {} holds no run yet", file),
                    "wait until its writer has begun, or name another file");
    return state;
}

/// Puts lessons of a run on the shelf, where later runs find them.
Result<void> shelve(const MemoryOptions &options)
{
    ACCELOPT_TRY(const std::vector<ExperienceItem> items, runner::itemsOf(options.file));
    ACCELOPT_TRY(std::vector<runner::ShelfItem> shelf, runner::readShelf());
    for (const std::string &wanted : options.shelve) {
        // The run's own name of the lesson, or the one it has beyond the run.
        const auto found =
            std::find_if(items.begin(), items.end(), [&](const ExperienceItem &item) {
                return item.id.value == wanted || item.id.value.ends_with(":" + wanted);
            });
        if (found == items.end())
            return fail(ErrorCode::WrongUse,
                        fmt::format("the memory of {} holds no lesson {}", options.file, wanted),
                        "only lessons that reach prompts can be shelved; `accelopt memory FILE` "
                        "lists them");
        const bool known =
            std::any_of(shelf.begin(), shelf.end(), [&](const runner::ShelfItem &shelved) {
                return shelved.item.id == found->id;
            });
        if (!known)
            shelf.push_back({*found, {}});
    }
    return runner::writeShelf(shelf);
}

int memory(const MemoryOptions &options)
{
    const Output output = options.asJson ? Output::Json : Output::Text;
    std::error_code ignored;
    if (options.file == runner::kShelf && !std::filesystem::exists(options.file, ignored)) {
        if (options.decides() || !options.shelve.empty())
            return tell({ErrorCode::WrongUse,
                         "decisions are about the lessons of a run",
                         "name the run file; the shelf itself is only shown",
                         {}});
        return printShelf(output);
    }
    const auto state = options.decides() ? decide(options) : readState(options.file);
    if (!state)
        return tell(state.error());
    if (!options.shelve.empty())
        if (const auto shelved = shelve(options); !shelved)
            return tell(shelved.error());
    printMemory(*state, options.file, output);
    return 0;
}

} // namespace

void addMemoryCommand(CLI::App &program, Action &action)
{
    auto options = std::make_shared<MemoryOptions>();
    CLI::App *command = program.add_subcommand("memory", "the lessons of a run, and what becomes "
                                                         "of them");
    command->add_option("FILE", options->file, "the run file, or `shelf`")->required();
    const auto add = [&](const char *name, std::vector<std::string> &ids, const char *help) {
        command->add_option(name, ids, help)->type_name("ID")->allow_extra_args(false);
    };
    add("--approve", options->approve, "let this lesson reach prompts; may be given repeatedly");
    add("--reject", options->reject, "keep this lesson from prompts");
    add("--pin", options->pin, "never let this lesson fall out of the memory");
    add("--unpin", options->unpin, "let it fall out when its time has come");
    add("--shelve", options->shelve, "put this lesson on the shelf for `run --memory-from shelf`");
    command->add_option("--reason", options->reason, "why, for those who read it later");
    command->add_flag("--json", options->asJson, "print one JSON document");
    command->callback([&action, options] { action = [options] { return memory(*options); }; });
}

} // namespace accelopt::cli
