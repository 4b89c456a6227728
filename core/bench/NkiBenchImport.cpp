// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/NkiBenchImport.h"

#include "core/bench/JsonPlace.h"
#include "core/bench/TaskWriter.h"

#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <regex>

namespace accelopt::bench {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// Larger texts than any kernel or reference are not searched.
constexpr std::size_t kMaxTextBytes = 256u << 10;

/// A file named by summary.json, which must lie in the checkout.
Result<std::string> readInside(const fs::path &checkout, const std::string &name)
{
    std::error_code status;
    const fs::path root = fs::canonical(checkout, status);
    const fs::path path = fs::weakly_canonical(root / name, status);
    const auto [rootEnd, pathAt] =
        std::mismatch(root.begin(), root.end(), path.begin(), path.end());
    if (status || rootEnd != root.end())
        return fail(ErrorCode::Format, fmt::format("{} does not lie in the checkout", name));
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
        return fail(ErrorCode::Environment, fmt::format("cannot read {}", path.string()));
    std::string text(std::istreambuf_iterator<char>(stream), {});
    if (text.size() > kMaxTextBytes)
        return fail(ErrorCode::Format, fmt::format("{} is larger than 256 KiB", name));
    return text;
}

std::vector<std::string> linesOf(const std::string &text)
{
    std::vector<std::string> lines;
    std::size_t from = 0;
    while (from < text.size()) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        lines.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    return lines;
}

std::string trimmed(const std::string &text)
{
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Lines of the body of a function at the top level of a module; empty when there is none.
std::vector<std::string> bodyOf(const std::vector<std::string> &lines, const std::string &function)
{
    std::vector<std::string> body;
    bool inside = false;
    for (const std::string &line : lines) {
        if (inside && !line.empty() && line[0] != ' ' && line[0] != '\t')
            break;
        if (inside && !trimmed(line).empty())
            body.push_back(trimmed(line));
        inside = inside || line.starts_with("def " + function + "(");
    }
    return body;
}

json listOf(const std::string &text)
{
    json list = json::array();
    std::size_t from = 0;
    while (from < text.size()) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        if (const std::string item = trimmed(text.substr(from, comma - from)); !item.empty())
            list.push_back(item);
        from = comma + 1;
    }
    return list;
}

json numberFrom(const std::string &text)
{
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// What a reference module of the checkout tells about the inputs.
struct ModuleFacts
{
    json dimensions = json::object();
    json arguments = json::array();
    std::vector<json> reshapes; ///< per tensor argument, when all are known
};

Result<ModuleFacts> readModule(const std::string &text)
{
    static const std::regex s_dimension(R"(([A-Z]\w*) = (\d{1,9}))");
    static const std::regex s_tensor(
        R"((\w+) = (np\.abs\()?np\.random\.normal\(loc=0, scale=([0-9.e-]+), size=\(([^()]*)\)\)\)?\.astype\(np\.float32\))");
    static const std::regex s_scalar(R"((\w+) = ([0-9][0-9.]*(?:e[+-]?\d+)?))");
    static const std::regex s_return(R"(return \[([^\[\]]*)\])");
    static const std::regex s_reshape(R"(.*np\.reshape\(inputs\[(\d{1,3})\], \(([0-9, ]+)\)\).*)");

    const auto lines = linesOf(text);
    ModuleFacts facts;
    std::smatch match;
    for (const std::string &line : lines)
        if (std::regex_match(line, match, s_dimension))
            facts.dimensions[match[1].str()] = std::stoll(match[2].str());

    std::map<std::string, json> drawn;
    std::size_t tensors = 0;
    for (const std::string &line : bodyOf(lines, "get_inputs")) {
        if (std::regex_match(line, match, s_tensor)) {
            const char *draw = match[2].matched ? "absolute_normal" : "normal";
            drawn[match[1].str()] = {{"name", match[1].str()},
                                     {"shape", listOf(match[4].str())},
                                     {"dtype", "float32"},
                                     {"draw", {{draw, numberFrom(match[3].str())}}}};
        } else if (std::regex_match(line, match, s_scalar)) {
            drawn[match[1].str()] = {{"name", match[1].str()},
                                     {"draw", {{"constant", numberFrom(match[2].str())}}}};
        } else if (std::regex_match(line, match, s_return)) {
            for (const json &name : listOf(match[1].str())) {
                const auto found = drawn.find(name.get<std::string>());
                if (found == drawn.end())
                    return fail(ErrorCode::Format,
                                fmt::format("get_inputs() returns \"{}\", which it does not draw",
                                            name.get<std::string>()));
                tensors += found->second.contains("shape") ? 1 : 0;
                facts.arguments.push_back(found->second);
            }
        } else if (!line.starts_with("#")) {
            return fail(ErrorCode::Format,
                        fmt::format("this line of get_inputs() is not understood: {}", line));
        }
    }
    if (facts.arguments.empty())
        return fail(ErrorCode::Format, "it has no get_inputs() that returns a list");

    for (const std::string &line : bodyOf(lines, "transform_to_nki_inputs"))
        if (std::regex_match(line, match, s_reshape) &&
            std::stoul(match[1].str()) == facts.reshapes.size())
            facts.reshapes.push_back(listOf(match[2].str()));
    if (facts.reshapes.size() != tensors || tensors != facts.arguments.size())
        facts.reshapes.clear();
    return facts;
}

/// Shape of the only output that the kernel allocates with plain numbers; null when it is not
/// written so.
json outputShape(const std::string &kernel)
{
    static const std::regex s_output(
        R"(nl\.ndarray\(\(([0-9, ]+)\), dtype=[\w.]+, buffer=nl\.shared_hbm\))");
    const std::sregex_iterator first(kernel.begin(), kernel.end(), s_output);
    if (first == std::sregex_iterator() || std::next(first) != std::sregex_iterator())
        return nullptr;
    return listOf((*first)[1].str());
}

/// The task made of one implementation of a problem.
Result<NewTask> taskOf(const fs::path &checkout, const JsonPlace &implementation,
                       const TaskEntry &known, const std::string &name)
{
    ACCELOPT_TRY(const auto modulePlace, implementation.member("task"));
    ACCELOPT_TRY(const std::string moduleName, modulePlace.text());
    ACCELOPT_TRY(const auto kernelPlace, implementation.member("kernel"));
    ACCELOPT_TRY(const std::string kernelName, kernelPlace.text());
    NewTask task;
    task.name = name;
    ACCELOPT_TRY(task.reference, readInside(checkout, moduleName));
    ACCELOPT_TRY(task.baseline, readInside(checkout, kernelName));
    const auto facts = readModule(task.reference);
    if (!facts)
        return fail(ErrorCode::Format, fmt::format("{}: {}", moduleName, facts.error().message));
    if (task.reference.find("\ndef forward(") == std::string::npos)
        return fail(ErrorCode::Format, fmt::format("{} has no forward()", moduleName));
    if (!task.reference.ends_with('\n'))
        task.reference += '\n';
    task.reference += "\n\nreference = forward\n";

    const std::string file = (known.folder / "task.json").string();
    ACCELOPT_TRY(const json own, readJsonFile(file));
    json &content = task.content;
    for (const char *member :
         {"title", "description", "results", "minimum_work", "tolerance", "matmul_dtype"})
        if (own.contains(member))
            content[member] = own[member];
    content["shapes"] = {{"published", {{"dimensions", facts->dimensions}}}};
    content["arguments"] = facts->arguments;
    if (own.value("arguments", json::array()) == facts->arguments && own.contains("suites"))
        content["suites"] = own["suites"];
    // Figures were measured at the known task's dimensions and mean nothing at others.
    const json published = own.value(json::json_pointer("/shapes/published"), json::object());
    if (published.value("dimensions", json::object()) == facts->dimensions) {
        if (own.contains("published"))
            content["published"] = own["published"];
        if (published.contains("reference_compute"))
            content["shapes"]["published"]["reference_compute"] = published["reference_compute"];
    }
    if (!facts->reshapes.empty()) {
        json output = outputShape(task.baseline);
        json results = output.is_null() ? own.at("results").at(0).at("shape") : std::move(output);
        json layout = {{"name", "nkibench"}, {"arguments", facts->reshapes}};
        layout["results"] = json::array({std::move(results)});
        content["layouts"] = json::array({std::move(layout)});
    }
    return task;
}

} // namespace

Result<ImportReport> importNkiBench(const fs::path &checkout, const std::string &prefix,
                                    const TaskCatalogue &known, const fs::path &parent)
{
    std::error_code status;
    const fs::path nested = checkout / "NKIBench";
    const fs::path root = !fs::exists(checkout / "summary.json", status) &&
                                  fs::exists(nested / "summary.json", status)
                              ? nested
                              : checkout;
    const std::string file = (root / "summary.json").string();
    auto document = readJsonFile(file);
    if (!document) {
        document.error().hint = "give the folder NKIBench of an AccelOpt checkout";
        return tl::unexpected(document.error());
    }
    const JsonPlace summary(*document, file);
    ACCELOPT_TRY(const auto problems, summary.members());
    if (prefix.find('/') != std::string::npos)
        return fail(ErrorCode::WrongUse, fmt::format("\"{}\" cannot be a prefix", prefix),
                    "use letters, digits, _ and -");

    ImportReport report;
    for (const auto &[problem, place] : problems) {
        const auto skip = [&, &name = problem](const std::string &reason) {
            report.skipped.push_back({name, reason});
        };
        const auto same = std::find_if(
            known.entries().begin(), known.entries().end(),
            [&, &name = problem](const TaskEntry &entry) { return entry.name == name; });
        if (same == known.entries().end()) {
            skip("no known task has this name, so its result's shape is not known; add it with "
                 "\"bench new\"");
            continue;
        }
        ACCELOPT_TRY(const auto casesPlace, place.member("cases"));
        ACCELOPT_TRY(const auto cases, casesPlace.members());
        std::vector<JsonPlace> implementations;
        for (const auto &[number, one] : cases) {
            ACCELOPT_TRY(const auto list, one.member("impls"));
            ACCELOPT_TRY(const auto elements, list.elements());
            implementations.insert(implementations.end(), elements.begin(), elements.end());
        }
        for (std::size_t i = 0; i < implementations.size(); ++i) {
            std::string name = prefix + "/" + problem;
            if (implementations.size() > 1)
                name += fmt::format("_{}", i + 1);
            const auto task = taskOf(root, implementations[i], *same, name);
            if (!task) {
                skip(task.error().message);
                continue;
            }
            const auto written = writeTask(parent, *task);
            if (written)
                report.tasks.push_back(name);
            else
                skip(describe(written.error()));
        }
    }
    return report;
}

} // namespace accelopt::bench
