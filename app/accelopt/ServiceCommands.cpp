// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/Commands.h"
#include "app/accelopt/Terminal.h"
#include "core/agents/AnswerReader.h"
#include "core/agents/ChatService.h"
#include "core/agents/CommandCorrespondent.h"
#include "core/agents/Keychain.h"
#include "core/bench/TaskLoader.h"
#include "core/nki/syntax/Lexer.h"
#include "core/profiling/RemoteHost.h"
#include "core/runner/UserConfig.h"

#include <CLI/CLI.hpp>
#include <QElapsedTimer>
#include <QEventLoop>
#include <cctype>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <termios.h>
#include <unistd.h>

namespace accelopt::cli {

namespace {

using Json = nlohmann::json;

/// Keeps what is typed off the screen.
class HiddenInput
{
public:
    HiddenInput()
    {
        if (::tcgetattr(STDIN_FILENO, &m_before) != 0)
            return; // no terminal
        m_changed = true;
        termios silent = m_before;
        silent.c_lflag &= ~tcflag_t(ECHO);
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
    }
    ~HiddenInput()
    {
        if (m_changed)
            ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &m_before);
    }
    HiddenInput(const HiddenInput &) = delete;
    HiddenInput &operator=(const HiddenInput &) = delete;

private:
    termios m_before{};
    bool m_changed = false;
};

/// One thing that was tried.
struct TestStep
{
    std::string what;
    std::string found;
    bool good = true;
};

/// Prints each step as it is done; with JSON all of them at the end.
class StepList
{
public:
    explicit StepList(Output output) : m_output(output) {}

    void add(TestStep step)
    {
        if (m_output == Output::Text)
            Terminal::result(
                fmt::format("{} {}: {}", step.good ? "ok  " : "FAIL", step.what, step.found));
        m_steps.push_back(std::move(step));
    }
    /// The end: what could not be done, or nothing.
    int finish(const std::optional<Error> &error)
    {
        if (m_output == Output::Json) {
            Json steps = Json::array();
            for (const TestStep &step : m_steps)
                steps.push_back({{"step", step.what}, {"found", step.found}, {"good", step.good}});
            Json document{{"ready", !error.has_value()}, {"steps", std::move(steps)}};
            if (error)
                document["error"] = describe(*error);
            Terminal::result(document.dump(2));
        }
        if (!error)
            return 0;
        tell(*error);
        // The thing examined is not good; what the command itself was told wrongly is another case.
        return error->code == ErrorCode::WrongUse || error->code == ErrorCode::Format
                   ? exitStatus(error->code)
                   : 1;
    }

private:
    Output m_output;
    std::vector<TestStep> m_steps;
};

int testModel(const std::string &name, Output output)
{
    StepList steps(output);
    const auto model = runner::configuredModel(name);
    if (!model)
        return tell(model.error());
    steps.add({"described", model->command.empty() ? model->address + ", model " + model->model
                                                   : "program " + model->command.front()});
    const auto key = agents::keyOf(*model);
    if (!key)
        return steps.finish(key.error());
    if (!model->keyVariable.empty())
        steps.add({"key", qEnvironmentVariableIsEmpty(model->keyVariable.c_str())
                              ? fmt::format("{} found in the keychain", model->keyVariable)
                              : fmt::format("found in {}", model->keyVariable)});
    std::unique_ptr<agents::Correspondent> correspondent;
    if (model->command.empty()) {
        auto service = std::make_unique<agents::ChatService>(*model, *key);
        QObject::connect(service.get(), &agents::ChatService::troubled, service.get(),
                         [](const QString &text) { Terminal::message(text.toStdString()); });
        correspondent = std::move(service);
    } else {
        correspondent = std::make_unique<agents::CommandCorrespondent>(*model);
    }
    agents::Letter letter;
    letter.call = CallId("test");
    letter.role = RoleName::Executor;
    letter.messages = {{"system", "You answer with code in one fenced block and nothing else."},
                       {"user", "Give a Python file with the one line: answer = 42"}};
    QEventLoop loop;
    QElapsedTimer clock;
    clock.start();
    std::optional<agents::LetterReply> reply;
    correspondent->ask(letter, [&](agents::LetterReply given) {
        reply = std::move(given);
        loop.quit();
    });
    loop.exec();
    if (!reply->text)
        return steps.finish(reply->text.error());
    steps.add({"answer", fmt::format("{} characters after {:.1f} s", reply->text->size(),
                                     double(clock.elapsed()) / 1000)});
    const Usage &usage = reply->usage;
    steps.add({"usage",
               usage.promptTokens == 0
                   ? std::string("not told by the server; costs cannot be counted")
                   : fmt::format("{} tokens in ({} cached), {} out{}", usage.promptTokens,
                                 usage.cachedTokens, usage.completionTokens,
                                 usage.unpricedCalls > 0 ? ", no price given in models.json"
                                                         : fmt::format(", ${:.6f}", usage.usd)),
               usage.promptTokens > 0});
    const auto kernel = agents::readKernelAnswer(*reply->text);
    if (!kernel)
        return steps.finish(kernel.error());
    steps.add({"form", "the answer holds a fenced block, as kernels do"});
    return steps.finish(std::nullopt);
}

enum class KeyAction { Store, Forget };

/// Puts the key of a model into the keychain, from standard input: never from the command line,
/// which others can see.
int keepKey(const std::string &name, KeyAction what)
{
    const auto model = runner::configuredModel(name);
    if (!model)
        return tell(model.error());
    if (model->keyVariable.empty())
        return tell({ErrorCode::WrongUse,
                     fmt::format("the model {} wants no key", name),
                     "name it in \"key_variable\" of models.json",
                     {}});
    if (what == KeyAction::Forget) {
        if (const auto done = agents::Keychain::forget(model->keyVariable); !done)
            return tell(done.error());
        Terminal::message(fmt::format("{} is forgotten", model->keyVariable));
        return 0;
    }
    if (Terminal::hasPerson())
        Terminal::message(
            fmt::format("type or paste the key {} and press Enter", model->keyVariable));
    std::string key;
    {
        const HiddenInput hidden;
        std::getline(std::cin, key);
    }
    while (!key.empty() && std::isspace(static_cast<unsigned char>(key.back())) != 0)
        key.pop_back();
    if (key.empty())
        return tell(
            {ErrorCode::WrongUse, "no key came on standard input", "nothing was stored", {}});
    if (const auto done = agents::Keychain::write(model->keyVariable, key); !done)
        return tell(done.error());
    Terminal::message(fmt::format("{} is in the keychain", model->keyVariable));
    return 0;
}

int testHost(const std::string &name, Output output)
{
    StepList steps(output);
    const auto host = runner::configuredHost(name);
    if (!host)
        return tell(host.error());
    const auto task = loadTask("silu", "lab");
    if (!task)
        return tell(task.error());
    const auto baseline = bench::readBaseline(*task);
    if (!baseline)
        return tell(baseline.error());
    steps.add({"described", fmt::format("ssh {}", host->ssh)});
    QStringList hidden;
    for (const std::string &variable : runner::secretVariables())
        hidden << QString::fromStdString(variable);
    profiling::RemoteHost remote(*host, *task, "trn1", hidden);
    remote.setMostFailures(2);
    QEventLoop loop;
    QObject::connect(&remote, &profiling::RemoteHost::progress, &loop,
                     [](const QString &text) { Terminal::progress(text.toStdString()); });
    QObject::connect(&remote, &profiling::RemoteHost::troubled, &loop,
                     [](const QString &text) { Terminal::message(text.toStdString()); });
    QObject::connect(
        &remote, &profiling::RemoteHost::greeted, &loop,
        [&](const profiling::HostGreeting &greeting) {
            constexpr double kGigabyte = 1e9;
            steps.add({"login", fmt::format("{}, {} cores", greeting.host, greeting.cpus)});
            steps.add({"python", greeting.python});
            steps.add(
                {"numpy",
                 greeting.numpy.empty() ? "not there: references cannot be made" : greeting.numpy,
                 !greeting.numpy.empty()});
            steps.add({"disk",
                       fmt::format("{:.1f} GB free", double(greeting.freeBytes) / kGigabyte),
                       double(greeting.freeBytes) > kGigabyte});
            if (host->judgeWith == profiling::JudgeWith::Simulator)
                steps.add({"neuron", greeting.neuron.empty()
                                         ? "no Neuron compiler; kernels are simulated there"
                                         : greeting.neuron + "; kernels are simulated all the same "
                                                             "(\"judge_with\": \"neuron\" of "
                                                             "hosts.json measures them)"});
        });
    QObject::connect(&remote, &profiling::RemoteHost::openedNeuron, &loop,
                     [&](const QString &versions) {
                         steps.add({"neuron", versions.toStdString() +
                                                  "; a kernel with a known result gave it"});
                     });
    QObject::connect(&remote, &profiling::RemoteHost::opened, &loop, [&](const QString &version) {
        steps.add({"simulator", "cost model " + version.toStdString()});
    });
    std::optional<Result<search::JudgeAnswer>> answer;
    search::JudgeQuestion question;
    question.kernel = nki::kernelIdentity(*baseline);
    question.source = *baseline;
    QElapsedTimer clock;
    clock.start();
    remote.judge(question, [&](Result<search::JudgeAnswer> given) {
        answer = std::move(given);
        loop.quit();
    });
    loop.exec();
    Terminal::clearProgress();
    if (!*answer)
        return steps.finish(answer->error());
    const Verdict &verdict = (*answer)->verdict;
    steps.add(
        {"probe kernel",
         fmt::format("the silu baseline is {}, {:.4g} ms ({}), after {:.1f} s",
                     accelopt::name(verdict.status), (*answer)->profile.latencyMs,
                     verdict.simulated ? "simulated" : "measured", double(clock.elapsed()) / 1000),
         verdict.correct()});
    if (!verdict.correct())
        return steps.finish(
            Error{ErrorCode::NotGood,
                  fmt::format("a kernel that is known to be right was not found so: {}",
                              verdict.reasons.empty() ? "" : verdict.reasons.front().message),
                  host->judgeWith == profiling::JudgeWith::Neuron
                      ? "look whether the SDK there is complete and of the device's generation"
                      : "install the same version of nkisim on the host",
                  {}});
    return steps.finish(std::nullopt);
}

} // namespace

void addServiceCommands(CLI::App &program, Action &action)
{
    struct Options
    {
        std::string name;
        bool asJson = false;
    };
    const auto add = [&](const char *group, const char *what, const char *test,
                         int (*run)(const std::string &, Output)) {
        CLI::App *of = program.add_subcommand(group, what);
        of->require_subcommand(1);
        CLI::App *command = of->add_subcommand("test", test);
        auto options = std::make_shared<Options>();
        command->add_option("NAME", options->name, "its name in the configuration")->required();
        command->add_flag("--json", options->asJson, "print one JSON document");
        command->callback([&action, options, run] {
            action = [options, run] {
                return run(options->name, options->asJson ? Output::Json : Output::Text);
            };
        });
        return of;
    };
    CLI::App *models =
        add("models", "models that play roles", "ask a model for one short answer", &testModel);
    CLI::App *key = models->add_subcommand(
        "key", "put a model's key, read from standard input, into the desktop's keychain");
    auto name = std::make_shared<std::string>();
    auto keyAction = std::make_shared<KeyAction>(KeyAction::Store);
    key->add_option("NAME", *name, "its name in the configuration")->required();
    key->add_flag_callback(
        "--forget", [keyAction] { *keyAction = KeyAction::Forget; }, "take it out again");
    key->callback([&action, name, keyAction] {
        action = [name, keyAction] { return keepKey(*name, *keyAction); };
    });
    add("hosts", "hosts that judge kernels", "reach a host and judge one kernel there", &testHost);
}

} // namespace accelopt::cli
