// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/Commands.h"
#include "app/accelopt/Terminal.h"
#include "core/agents/Keychain.h"
#include "core/agents/ModelProfile.h"
#include "core/bench/TaskCatalogue.h"
#include "core/bench/TensorCache.h"
#include "core/nki/machine/Machine.h"
#include "core/profiling/SimPool.h"
#include "core/profiling/SshConnection.h"
#include "core/profiling/WorkerProtocol.h"
#include "core/runner/UserConfig.h"

#include <CLI/CLI.hpp>
#include <QProcess>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace accelopt::cli {

namespace {

constexpr int kProgramTimeMs = 20'000;

/// One thing the workbench uses.
struct DoctorFinding
{
    enum class State { Good, Missing, Optional }; ///< Optional: missing, and nothing needs it yet
    std::string what;
    State state = State::Good;
    std::string found;
    std::string advice;
};

std::optional<std::string> outputOf(const QString &program, const QStringList &arguments)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    process.closeWriteChannel();
    if (!process.waitForFinished(kProgramTimeMs) || process.exitStatus() != QProcess::NormalExit ||
        process.exitCode() != 0)
        return std::nullopt;
    const QByteArray text = process.readAll();
    return text.left(text.indexOf('\n')).trimmed().toStdString();
}

DoctorFinding simulator()
{
    const auto program = profiling::findSimulator();
    if (!program)
        return {"simulator", DoctorFinding::State::Missing, program.error().message,
                program.error().hint};
    const auto line = outputOf(*program, {}); // it tests its arithmetic and greets
    const auto hello = line ? profiling::decodeHello(*line)
                            : Result<profiling::WorkerHello>(
                                  fail(ErrorCode::Environment, "it does not start or is not fit",
                                       "start it by hand to see what it says"));
    if (!hello)
        return {"simulator", DoctorFinding::State::Missing, hello.error().message,
                hello.error().hint};
    if (hello->modelVersion != nki::Machine::modelVersion())
        return {"simulator", DoctorFinding::State::Missing,
                fmt::format("{} has another cost model", program->toStdString()),
                "use the nkisim that came with this program"};
    return {"simulator",
            DoctorFinding::State::Good,
            fmt::format("{}, cost model {}", program->toStdString(), hello->modelVersion),
            {}};
}

DoctorFinding numpy()
{
    const auto version = outputOf(
        QStringLiteral("/usr/bin/python3"),
        {QStringLiteral("-I"), QStringLiteral("-c"),
         QStringLiteral("import sys, numpy; print(sys.version.split()[0], numpy.__version__)")});
    if (!version)
        return {"python and numpy", DoctorFinding::State::Missing,
                "/usr/bin/python3 with numpy does not run", "apt install python3-numpy"};
    return {"python and numpy", DoctorFinding::State::Good, *version, {}};
}

DoctorFinding folder(const char *what, const std::filesystem::path &path)
{
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error || ::access(path.c_str(), W_OK) != 0)
        return {what, DoctorFinding::State::Missing,
                fmt::format("{} cannot be written", path.string()), "correct its permissions"};
    const auto space = std::filesystem::space(path, error);
    constexpr double kGigabyte = 1e9;
    const double free = error ? 0 : double(space.available) / kGigabyte;
    return {what, DoctorFinding::State::Good,
            fmt::format("{}, {:.1f} GB free", path.string(), free),
            free < 1 ? "large tasks need some gigabytes" : ""};
}

DoctorFinding tasks()
{
    const std::size_t count = bench::TaskCatalogue::standard(programFolder()).entries().size();
    if (count == 0)
        return {"tasks", DoctorFinding::State::Missing, "no task is found",
                "install the folder nkibench, or name it in ACCELOPT_NKIBENCH"};
    return {"tasks", DoctorFinding::State::Good, fmt::format("{} tasks", count), {}};
}

std::vector<DoctorFinding> models()
{
    const auto models = runner::configuredModels();
    if (!models)
        return {
            {"models", DoctorFinding::State::Missing, models.error().message, models.error().hint}};
    if (models->empty())
        return {
            {"models", DoctorFinding::State::Optional, "none; the built-in agents need none",
             fmt::format("describe one in {}", (runner::configFolder() / "models.json").string())}};
    std::vector<DoctorFinding> found;
    for (const agents::ModelProfile &model : *models) {
        const auto key = agents::keyOf(model);
        const std::string where = model.command.empty() ? model.address : model.command.front();
        if (key)
            found.push_back({"model " + model.name, DoctorFinding::State::Good, where,
                             "try it with `accelopt models test " + model.name + "`"});
        else
            found.push_back({"model " + model.name, DoctorFinding::State::Optional,
                             key.error().message, key.error().hint});
    }
    return found;
}

DoctorFinding keychain()
{
    if (agents::Keychain::available())
        return {"keychain", DoctorFinding::State::Good,
                "keys of models are looked for in the desktop's keychain, after the environment",
                "store one with `accelopt models key NAME`"};
    return {"keychain", DoctorFinding::State::Optional,
            "not used; keys of models come from the environment",
            "build with qtkeychain-qt6-dev, and leave ACCELOPT_KEYCHAIN unset"};
}

std::vector<DoctorFinding> hosts()
{
    std::vector<DoctorFinding> found;
    const auto version = outputOf(profiling::SshConnection::program(), {QStringLiteral("-V")});
    found.push_back(version
                        ? DoctorFinding{"ssh", DoctorFinding::State::Good, *version, {}}
                        : DoctorFinding{"ssh", DoctorFinding::State::Optional,
                                        "there is no ssh client; only the simulator judges kernels",
                                        "apt install openssh-client"});
    const auto hosts = runner::configuredHosts();
    if (!hosts) {
        found.push_back(
            {"hosts", DoctorFinding::State::Missing, hosts.error().message, hosts.error().hint});
        return found;
    }
    if (hosts->empty())
        found.push_back(
            {"hosts", DoctorFinding::State::Optional, "none",
             fmt::format("describe one in {}", (runner::configFolder() / "hosts.json").string())});
    for (const profiling::HostProfile &host : *hosts)
        found.push_back({"host " + host.name, DoctorFinding::State::Good, "ssh " + host.ssh,
                         "try it with `accelopt hosts test " + host.name + "`"});
    return found;
}

int examine(Output output)
{
    std::vector<DoctorFinding> all{simulator(), numpy(), tasks(),
                                   folder("tensor cache", bench::TensorCache::standardFolder()),
                                   folder("run files", bench::userDataFolder() / "runs")};
    for (auto &more : {models(), {keychain()}, hosts()})
        all.insert(all.end(), more.begin(), more.end());
    bool good = true;
    nlohmann::json list = nlohmann::json::array();
    std::string text;
    for (const DoctorFinding &one : all) {
        good = good && one.state != DoctorFinding::State::Missing;
        const char *state = one.state == DoctorFinding::State::Good      ? "ok"
                            : one.state == DoctorFinding::State::Missing ? "missing"
                                                                         : "optional";
        list.push_back(
            {{"what", one.what}, {"state", state}, {"found", one.found}, {"advice", one.advice}});
        text += fmt::format("{:<9} {:<17} {}\n", state, one.what, one.found);
        if (!one.advice.empty())
            text += fmt::format("{:<27} -> {}\n", "", one.advice);
    }
    text += good ? "Everything that a search with the built-in agents needs is here.\n"
                 : "Something is missing without which nothing can be searched; see above.\n";
    Terminal::result(output == Output::Json
                         ? nlohmann::json{{"good", good}, {"findings", std::move(list)}}.dump(2)
                         : text);
    return good ? 0 : exitStatus(ErrorCode::Environment);
}

} // namespace

void addDoctorCommand(CLI::App &program, Action &action)
{
    CLI::App *command =
        program.add_subcommand("doctor", "say what works on this machine, and how to get the rest");
    auto asJson = std::make_shared<bool>(false);
    command->add_flag("--json", *asJson, "print one JSON document");
    command->callback([&action, asJson] {
        action = [asJson] { return examine(*asJson ? Output::Json : Output::Text); };
    });
}

} // namespace accelopt::cli
