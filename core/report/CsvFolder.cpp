// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/CsvFolder.h"

#include "core/domain/Hash.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

namespace accelopt::report {

namespace fs = std::filesystem;

namespace {

constexpr const char *kProduct = "AccelOpt Workbench export";

/// Nothing when there is no such regular file that can be read.
std::optional<std::string> contentOf(const fs::path &path)
{
    std::error_code error;
    if (!fs::is_regular_file(fs::symlink_status(path, error)))
        return std::nullopt;
    std::ifstream in(path, std::ios::binary);
    if (!in)
        return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(in), {});
}

/// Per file of an earlier export the hashes of the contents that are ours.
using OwnFiles = std::map<std::string, std::vector<std::string>>;

/// What the folder's manifest says, empty without one; nothing when a file of that name is not
/// ours.
std::optional<OwnFiles> ownFiles(const fs::path &folder)
{
    const fs::path path = folder / kExportManifest;
    std::error_code error;
    if (fs::symlink_status(path, error).type() == fs::file_type::not_found)
        return OwnFiles{};
    const auto text = contentOf(path);
    if (!text)
        return std::nullopt;
    const nlohmann::json manifest = nlohmann::json::parse(*text, nullptr, false);
    if (!manifest.is_object() || manifest.value("written_by", nlohmann::json()) != kProduct)
        return std::nullopt;
    OwnFiles files;
    try {
        manifest.at("files").get_to(files);
    } catch (const nlohmann::json::exception &) {
        return std::nullopt;
    }
    return files;
}

tl::unexpected<Error> notWritten(const fs::path &path, const std::string &why)
{
    return fail(ErrorCode::Environment,
                fmt::format("{} cannot be written ({})", path.string(), why),
                "choose a folder you may write, with room");
}

Result<void> writeBeside(const fs::path &path, const std::string &text)
{
    const fs::path temporary = path.string() + ".part";
    std::error_code error;
    {
        errno = 0;
        std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
        out << text;
        out.flush();
        if (!out) {
            const std::string why = std::strerror(errno);
            fs::remove(temporary, error);
            return notWritten(path, why);
        }
    }
    fs::rename(temporary, path, error);
    if (error) {
        const std::string why = error.message();
        fs::remove(temporary, error);
        return notWritten(path, why);
    }
    return {};
}

/// Existing files of the names that are needed and that are not ours to replace.
std::vector<std::string> foreignFiles(const fs::path &folder, const std::optional<OwnFiles> &own,
                                      const std::vector<CsvTable> &tables)
{
    std::vector<std::string> foreign;
    if (!own)
        foreign.push_back(kExportManifest);
    std::error_code error;
    for (const CsvTable &table : tables) {
        const std::string name = table.name + ".csv";
        const auto known = own ? own->find(name) : OwnFiles::const_iterator();
        const bool wasOurs = own && known != own->end();
        if (fs::symlink_status(folder / name, error).type() != fs::file_type::not_found) {
            const auto content = contentOf(folder / name);
            if (!content || !wasOurs ||
                std::find(known->second.begin(), known->second.end(), sha256(*content)) ==
                    known->second.end())
                foreign.push_back(name);
        }
        // What an interrupted export left behind is ours, too.
        const fs::path part = folder / (name + ".part");
        if (const auto type = fs::symlink_status(part, error).type();
            type != fs::file_type::not_found && !(wasOurs && type == fs::file_type::regular))
            foreign.push_back(name + ".part");
    }
    return foreign;
}

} // namespace

Result<void> writeCsvFolder(const fs::path &given, const std::vector<CsvTable> &tables)
{
    std::error_code error;
    fs::path folder = fs::absolute(given, error).lexically_normal();
    if (!folder.has_filename())
        folder = folder.parent_path();
    const bool exists = fs::exists(folder, error);
    if (exists && !fs::is_directory(folder, error))
        return fail(ErrorCode::WrongUse, fmt::format("{} is not a folder", given.string()),
                    "name a folder, or one that does not exist yet");
    if (!exists && !fs::is_directory(folder.parent_path(), error))
        return fail(ErrorCode::WrongUse,
                    fmt::format("the folder {} in which {} should be made does not exist",
                                folder.parent_path().string(), folder.filename().string()),
                    "make it first");

    const std::optional<OwnFiles> own = ownFiles(folder);
    const std::vector<std::string> foreign = foreignFiles(folder, own, tables);
    if (!foreign.empty())
        return fail(ErrorCode::WrongUse,
                    fmt::format("{} already holds {}, which no export wrote or which was changed "
                                "since; nothing was written",
                                given.string(), fmt::join(foreign, ", ")),
                    "name another folder, or move what is in the way");

    fs::create_directory(folder, error);
    if (error)
        return notWritten(folder, error.message());
    // While files are being replaced both contents are ours: an interrupted export can be repeated.
    OwnFiles files = own.value_or(OwnFiles{});
    OwnFiles after = files;
    std::vector<std::pair<fs::path, std::string>> texts;
    for (const CsvTable &table : tables) {
        texts.emplace_back(folder / (table.name + ".csv"), toCsv(table));
        const std::string hash = sha256(texts.back().second);
        files[table.name + ".csv"].push_back(hash);
        after[table.name + ".csv"] = {hash};
    }
    const auto manifest = [](const OwnFiles &listed) {
        return nlohmann::json{{"written_by", kProduct}, {"files", listed}}.dump(1) + "\n";
    };
    ACCELOPT_CHECK(writeBeside(folder / kExportManifest, manifest(files)));
    for (const auto &[path, text] : texts)
        ACCELOPT_CHECK(writeBeside(path, text));
    return writeBeside(folder / kExportManifest, manifest(after));
}

} // namespace accelopt::report
