// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/TextDiff.h"

#include <git2.h>
#include <memory>

namespace accelopt::report {

namespace {

struct Library
{
    Library() { git_libgit2_init(); }
    ~Library() { git_libgit2_shutdown(); }
};

struct PatchDeleter
{
    void operator()(git_patch *patch) const { git_patch_free(patch); }
};
using Patch = std::unique_ptr<git_patch, PatchDeleter>;

Result<Patch> makePatch(std::string_view oldText, std::string_view newText, const char *name,
                        int context)
{
    static const Library s_library;
    git_diff_options options = GIT_DIFF_OPTIONS_INIT;
    options.context_lines = std::uint32_t(context);
    options.flags |= GIT_DIFF_PATIENCE;
    git_patch *patch = nullptr;
    if (git_patch_from_buffers(&patch, oldText.data(), oldText.size(), name, newText.data(),
                               newText.size(), name, &options) != 0) {
        const git_error *error = git_error_last();
        return fail(ErrorCode::Internal, "two texts could not be compared", {},
                    error != nullptr ? error->message : "");
    }
    return Patch(patch);
}

} // namespace

Result<std::vector<DiffLine>> diffLines(std::string_view oldText, std::string_view newText,
                                        int context)
{
    ACCELOPT_TRY(const Patch patch, makePatch(oldText, newText, "kernel.py", context));
    std::vector<DiffLine> lines;
    const std::size_t hunks = git_patch_num_hunks(patch.get());
    for (std::size_t h = 0; h < hunks; ++h) {
        const git_diff_hunk *hunk = nullptr;
        std::size_t count = 0;
        if (git_patch_get_hunk(&hunk, &count, patch.get(), h) != 0)
            continue;
        lines.push_back({DiffLineKind::Hunk, hunk->old_start, hunk->new_start, {}});
        for (std::size_t l = 0; l < count; ++l) {
            const git_diff_line *line = nullptr;
            if (git_patch_get_line_in_hunk(&line, patch.get(), h, l) != 0)
                continue;
            DiffLine out;
            switch (line->origin) {
            case GIT_DIFF_LINE_ADDITION: out.kind = DiffLineKind::Added; break;
            case GIT_DIFF_LINE_DELETION: out.kind = DiffLineKind::Removed; break;
            case GIT_DIFF_LINE_CONTEXT: out.kind = DiffLineKind::Context; break;
            default: continue; // remarks about a missing end of line
            }
            out.oldLine = std::max(0, line->old_lineno);
            out.newLine = std::max(0, line->new_lineno);
            out.text.assign(line->content, line->content_len);
            while (!out.text.empty() && (out.text.back() == '\n' || out.text.back() == '\r'))
                out.text.pop_back();
            lines.push_back(std::move(out));
        }
    }
    return lines;
}

Result<std::string> unifiedPatch(std::string_view oldText, std::string_view newText,
                                 const std::string &fileName)
{
    ACCELOPT_TRY(const Patch patch, makePatch(oldText, newText, fileName.c_str(), 3));
    git_buf buffer = GIT_BUF_INIT;
    if (git_patch_to_buf(&buffer, patch.get()) != 0)
        return fail(ErrorCode::Internal, "a patch could not be written");
    std::string text(buffer.ptr, buffer.size);
    git_buf_dispose(&buffer);
    return text;
}

} // namespace accelopt::report
