// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runner/UserConfig.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace accelopt::runner {
namespace {

constexpr const char *kModelsFile = "models.json";
constexpr const char *kHostsFile = "hosts.json";

} // namespace

std::filesystem::path configFolder()
{
    const auto variable = [](const char *name) {
        const char *value = std::getenv(name);
        return std::filesystem::path(value == nullptr ? "" : value);
    };
    if (const auto named = variable("ACCELOPT_CONFIG"); !named.empty())
        return named;
    if (const auto shared = variable("XDG_CONFIG_HOME"); shared.is_absolute())
        return shared / "accelopt";
    return variable("HOME") / ".config" / "accelopt";
}

Result<std::string> configText(const std::string &fileName)
{
    const std::filesystem::path file = configFolder() / fileName;
    std::error_code error;
    if (!std::filesystem::exists(file, error))
        return std::string();
    std::ifstream stream(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream)
        return fail(ErrorCode::Environment, fmt::format("{} cannot be read", file.string()),
                    "check who may read it");
    return text;
}

Result<std::vector<agents::ModelProfile>> configuredModels()
{
    std::vector<agents::ModelProfile> models;
    ACCELOPT_TRY(const std::string text, configText(kModelsFile));
    if (!text.empty()) {
        ACCELOPT_TRY(models, agents::readModels(text, (configFolder() / kModelsFile).string()));
    }
    ACCELOPT_TRY(std::optional<agents::ModelProfile> model, agents::modelOfEnvironment());
    if (model)
        models.push_back(std::move(*model));
    return models;
}

Result<agents::ModelProfile> configuredModel(const std::string &name)
{
    ACCELOPT_TRY(const std::vector<agents::ModelProfile> models, configuredModels());
    std::string names;
    for (const agents::ModelProfile &model : models) {
        if (model.name == name)
            return model;
        names += (names.empty() ? "" : ", ") + model.name;
    }
    return fail(
        ErrorCode::WrongUse, fmt::format("there are no agents named '{}'", name),
        names.empty()
            ? fmt::format("use --agents offline, the built-in ones, or describe a model in {}",
                          (configFolder() / kModelsFile).string())
            : fmt::format("there are: offline, person, replay:RUN, {}", names));
}

Result<std::vector<profiling::HostProfile>> configuredHosts()
{
    ACCELOPT_TRY(const std::string text, configText(kHostsFile));
    if (text.empty())
        return std::vector<profiling::HostProfile>();
    return profiling::readHosts(text, (configFolder() / kHostsFile).string());
}

Result<profiling::HostProfile> configuredHost(const std::string &name)
{
    ACCELOPT_TRY(const std::vector<profiling::HostProfile> hosts, configuredHosts());
    std::string names;
    for (const profiling::HostProfile &host : hosts) {
        if (host.name == name)
            return host;
        names += ", " + host.name;
    }
    return fail(
        ErrorCode::WrongUse, fmt::format("there is no host or pool named '{}'", name),
        names.empty()
            ? fmt::format("use --on sim, the built-in simulator, or describe the host in {}",
                          (configFolder() / kHostsFile).string())
            : fmt::format("there are: sim{}", names));
}

std::vector<std::string> secretVariables()
{
    std::vector<std::string> names{"ACCELOPT_MODEL", "ACCELOPT_MODEL_ADDRESS",
                                   "ACCELOPT_MODEL_KEY_VARIABLE"};
    // A models.json that cannot be read is somebody else's to complain about.
    if (const auto models = configuredModels())
        for (const agents::ModelProfile &model : *models)
            if (!model.keyVariable.empty())
                names.push_back(model.keyVariable);
    return names;
}

} // namespace accelopt::runner
