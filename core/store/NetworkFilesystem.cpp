// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/NetworkFilesystem.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sstream>

namespace accelopt::store {

namespace {

constexpr std::string_view kNetworkTypes[] = {
    "9p",         "afs",  "beegfs",    "ceph",      "cifs", "fuse.ceph", "fuse.glusterfs",
    "fuse.sshfs", "gfs2", "glusterfs", "fuse.s3fs", "gpfs", "lustre",    "ncpfs",
    "nfs",        "nfs4", "ocfs2",     "orangefs",  "smb3", "smbfs",     "virtiofs"};

/// Mount points with blanks are written with octal escapes.
std::string unescape(std::string_view text)
{
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto octal = [&](std::size_t at) {
            return at < text.size() && text[at] >= '0' && text[at] <= '7';
        };
        if (text[i] == '\\' && octal(i + 1) && octal(i + 2) && octal(i + 3)) {
            result += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                        (text[i + 3] - '0'));
            i += 3;
        } else {
            result += text[i];
        }
    }
    return result;
}

bool isBelow(const std::filesystem::path &file, const std::filesystem::path &folder)
{
    const auto [end, unused] =
        std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
    static_cast<void>(unused);
    return end == folder.end();
}

} // namespace

std::string networkFilesystemIn(std::string_view mountTable, const std::filesystem::path &file)
{
    std::istringstream lines{std::string(mountTable)};
    std::string line;
    std::string type;
    std::size_t depth = 0;
    while (std::getline(lines, line)) {
        std::istringstream fields(line);
        std::string device;
        std::string point;
        std::string filesystem;
        if (!(fields >> device >> point >> filesystem))
            continue;
        const std::filesystem::path folder(unescape(point));
        const auto folderDepth =
            static_cast<std::size_t>(std::distance(folder.begin(), folder.end()));
        // The deepest mount point holds the file; of two on one point the later covers the earlier.
        if (folderDepth >= depth && isBelow(file, folder)) {
            depth = folderDepth;
            type = filesystem;
        }
    }
    const bool network = std::find(std::begin(kNetworkTypes), std::end(kNetworkTypes), type) !=
                         std::end(kNetworkTypes);
    return network ? type : std::string();
}

std::string networkFilesystem(const std::filesystem::path &file,
                              const std::filesystem::path &mountTable)
{
    std::ifstream stream(mountTable);
    if (!stream)
        return {};
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    std::error_code error;
    std::filesystem::path absolute = std::filesystem::weakly_canonical(file, error);
    if (error)
        absolute = std::filesystem::absolute(file, error);
    return networkFilesystemIn(text, absolute);
}

std::string networkNotice(const std::filesystem::path &file, std::string_view filesystem)
{
    return fmt::format("{} lies on a network file system ({}), which makes writing slow and "
                       "depends on that system's locks; keep runs on a local disk and copy them "
                       "when they are done.",
                       file.string(), filesystem);
}

} // namespace accelopt::store
