// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runner/CarriedMemory.h"

#include "core/bench/Roofline.h"
#include "core/bench/TaskCatalogue.h"
#include "core/runner/ExperimentFile.h"
#include "core/search/Fold.h"
#include "core/store/RunReader.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

namespace accelopt::runner {

namespace {

using nlohmann::json;

constexpr const char *kDialect = "nki-classic";
constexpr const char *kShelfFormat = "accelopt-shelf";

std::filesystem::path shelfFile()
{
    return bench::userDataFolder() / "shelf.json";
}

json orNull(const std::optional<double> &value)
{
    return value ? json(*value) : json();
}

std::optional<double> numberAt(const json &object, const char *key)
{
    const auto found = object.find(key);
    return found == object.end() || !found->is_number() ? std::nullopt
                                                        : std::optional(found->get<double>());
}

json toJson(const Transfer &transfer)
{
    return {{"task", transfer.task},
            {"items", transfer.items},
            {"first_iteration",
             {{"with", orNull(transfer.firstWith)}, {"without", orNull(transfer.firstWithout)}}},
            {"final",
             {{"with", orNull(transfer.finalWith)}, {"without", orNull(transfer.finalWithout)}}}};
}

Transfer transferFrom(const json &object)
{
    Transfer transfer;
    object.at("task").get_to(transfer.task);
    object.at("items").get_to(transfer.items);
    transfer.firstWith = numberAt(object.at("first_iteration"), "with");
    transfer.firstWithout = numberAt(object.at("first_iteration"), "without");
    transfer.finalWith = numberAt(object.at("final"), "with");
    transfer.finalWithout = numberAt(object.at("final"), "without");
    return transfer;
}

Result<std::vector<ExperienceItem>> itemsOfRun(const std::filesystem::path &file)
{
    ACCELOPT_TRY(store::RunReader reader, store::RunReader::openForReading(file));
    ACCELOPT_TRY(const std::vector<Event> events, reader.eventsAfter(0));
    const search::State state = search::fold(events);
    // A lesson that fell out made room for a newer one, which is no judgement of it: a search that
    // found its gains early ends with lessons about what did not help.
    std::vector<std::size_t> carried = state.active;
    for (std::size_t i = state.items.size(); i-- > 0;)
        if (state.items[i].status == search::ItemStatus::FellOut &&
            state.items[i].item.id.value.find(':') == std::string::npos)
            carried.push_back(i);
    std::vector<ExperienceItem> items;
    for (const std::size_t index : carried) {
        ExperienceItem item = state.items[index].item;
        // One that was carried before keeps its name, so that it is known again.
        if (item.id.value.find(':') == std::string::npos) {
            item.tags["from"] =
                fmt::format("{}, iteration {}", state.opened.task, item.iteration + 1);
            item.id = ItemId(fmt::format("{}:{}", file.stem().string(), item.id.value));
        }
        item.tags.emplace("operator", state.opened.task);
        // Plans and iterations count in the run that they belong to.
        item.plan = {};
        item.iteration = -1;
        items.push_back(std::move(item));
    }
    return items;
}

std::string tag(const ExperienceItem &item, const char *name)
{
    const auto found = item.tags.find(name);
    return found == item.tags.end() ? std::string() : found->second;
}

/// A number that suited, or did not suit, a kernel.
bool isSetting(const ExperienceItem &item)
{
    return tag(item, "rewrite") == "tune";
}

/// What two lessons have in common that say the same; nothing where only a reader can tell.
std::string subjectOf(const ExperienceItem &item)
{
    const std::string rewrite = tag(item, "rewrite");
    if (rewrite.empty())
        return {};
    return fmt::format("{} {}{}", item.positive ? "do" : "avoid", rewrite,
                       isSetting(item) ? " " + item.title : "");
}

} // namespace

Result<std::vector<ShelfItem>> readShelf()
{
    std::vector<ShelfItem> items;
    std::ifstream in(shelfFile(), std::ios::binary);
    if (!in.is_open())
        return items;
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto damaged = [&](std::string detail) {
        return fail(ErrorCode::Format,
                    fmt::format("the shelf {} is not of the expected form", shelfFile().string()),
                    "move it away and shelve the lessons again", std::move(detail));
    };
    const json document = json::parse(text, nullptr, false);
    if (!document.is_object() || document.value("format", std::string()) != kShelfFormat)
        return damaged("no shelf");
    try {
        for (const json &entry : document.at("items")) {
            ShelfItem shelved;
            entry.at("item").get_to(shelved.item);
            for (const json &transfer : entry.at("transfers"))
                shelved.transfers.push_back(transferFrom(transfer));
            items.push_back(std::move(shelved));
        }
    } catch (const json::exception &exception) {
        return damaged(exception.what());
    }
    return items;
}

Result<void> writeShelf(const std::vector<ShelfItem> &items)
{
    std::error_code error;
    std::filesystem::create_directories(shelfFile().parent_path(), error);
    json list = json::array();
    for (const ShelfItem &shelved : items) {
        json transfers = json::array();
        for (const Transfer &transfer : shelved.transfers)
            transfers.push_back(toJson(transfer));
        list.push_back({{"item", shelved.item}, {"transfers", transfers}});
    }
    const json document{{"format", kShelfFormat}, {"version", 1}, {"items", list}};
    return replaceFile(shelfFile(),
                       document.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

Result<void> noteTransfer(const std::vector<ExperienceItem> &carried, const Transfer &transfer)
{
    ACCELOPT_TRY(std::vector<ShelfItem> shelf, readShelf());
    for (ShelfItem &shelved : shelf)
        if (std::any_of(carried.begin(), carried.end(),
                        [&](const ExperienceItem &item) { return item.id == shelved.item.id; }))
            shelved.transfers.push_back(transfer);
    return writeShelf(shelf);
}

Result<std::vector<ExperienceItem>> itemsOf(const std::filesystem::path &source)
{
    std::vector<ExperienceItem> items;
    std::error_code ignored;
    if (source == kShelf && !std::filesystem::exists(source, ignored)) {
        ACCELOPT_TRY(std::vector<ShelfItem> shelf, readShelf());
        if (shelf.empty())
            return fail(ErrorCode::WrongUse, "the shelf is empty",
                        "put lessons on it with `accelopt memory FILE --shelve ID`");
        for (ShelfItem &shelved : shelf)
            items.push_back(std::move(shelved.item));
        return items;
    }
    if (!std::filesystem::is_directory(source, ignored))
        return itemsOfRun(source);
    ACCELOPT_TRY(const ExperimentPlan plan, readExperiment(source));
    std::set<ItemId> seen;
    for (const ExperimentPart &part : plan.parts) {
        if (!std::filesystem::exists(source / part.file, ignored))
            continue;
        ACCELOPT_TRY(std::vector<ExperienceItem> more, itemsOfRun(source / part.file));
        for (ExperienceItem &item : more)
            if (seen.insert(item.id).second)
                items.push_back(std::move(item));
    }
    return items;
}

std::vector<ExperienceItem> chooseItems(std::vector<ExperienceItem> items, const Task &task,
                                        const std::string &device, int most)
{
    std::string bound;
    if (const auto known = bench::deviceRoof(device))
        if (const auto roof = bench::roofline(task, *known))
            bound = roof->bound;
    std::erase_if(items, [&](const ExperienceItem &item) {
        const std::string dialect = tag(item, "dialect");
        return (!dialect.empty() && dialect != kDialect) ||
               (isSetting(item) && tag(item, "operator") != task.name);
    });
    const auto distance = [&](const ExperienceItem &item) {
        if (tag(item, "operator") == task.name)
            return 0;
        return !bound.empty() && tag(item, "bound") == bound ? 1 : 2;
    };
    const auto order = [&](const ExperienceItem &item) {
        return std::tuple(distance(item), isSetting(item), !item.positive, -item.speedup);
    };
    std::stable_sort(
        items.begin(), items.end(),
        [&](const ExperienceItem &a, const ExperienceItem &b) { return order(a) < order(b); });
    // The first to say something says it for all.
    std::set<std::string> said;
    std::erase_if(items, [&](const ExperienceItem &item) {
        const std::string subject = subjectOf(item);
        return !subject.empty() && !said.insert(subject).second;
    });
    if (most > 0 && items.size() > std::size_t(most))
        items.resize(std::size_t(most));
    return items;
}

} // namespace accelopt::runner
