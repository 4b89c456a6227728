// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/SimWorkerLoop.h"

#include "core/bench/TaskLoader.h"
#include "core/nki/machine/Machine.h"
#include "core/profiling/SelfTest.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <iostream>
#include <streambuf>
#include <unistd.h>

namespace accelopt::profiling {
namespace {

/// Steps that tracing one kernel may take: three times what the largest published kernel takes,
/// some 1.2 s, and, as items that are kept count as steps, some 800 MB.
constexpr std::int64_t kMostSteps = 25'000'000;

/// Writes to a file descriptor.
class DescriptorBuffer : public std::streambuf
{
public:
    explicit DescriptorBuffer(int descriptor) : m_descriptor(descriptor)
    {
        setp(m_buffer.data(), m_buffer.data() + m_buffer.size());
    }

protected:
    int_type overflow(int_type character) override
    {
        if (sync() != 0)
            return traits_type::eof();
        if (!traits_type::eq_int_type(character, traits_type::eof()))
            sputc(traits_type::to_char_type(character));
        return traits_type::not_eof(character);
    }

    int sync() override
    {
        const char *next = pbase();
        while (next < pptr()) {
            const ssize_t written = ::write(m_descriptor, next, std::size_t(pptr() - next));
            if (written < 0)
                return -1;
            next += written;
        }
        setp(m_buffer.data(), m_buffer.data() + m_buffer.size());
        return 0;
    }

private:
    int m_descriptor;
    std::array<char, 65536> m_buffer{};
};

} // namespace

SimWorkerLoop::SimWorkerLoop(std::string software)
    : m_software(std::move(software)),
      m_judge(m_syntaxHelper)
{}

int SimWorkerLoop::run(std::istream &questions, std::ostream &answers)
{
    if (const auto fit = testArithmetic(); !fit) {
        answers << encodeUnfit(fit.error()) << '\n' << std::flush;
        return exitStatus(ErrorCode::Environment);
    }
    WorkerHello hello;
    hello.software = m_software;
    hello.modelVersion = nki::Machine::modelVersion();
    answers << encode(hello) << '\n' << std::flush;
    std::string line;
    while (std::getline(questions, line)) {
        if (line.empty())
            continue;
        answers << encode(answer(line)) << '\n' << std::flush;
        if (!answers) // nobody listens any more
            break;
    }
    return 0;
}

JudgeReply SimWorkerLoop::answer(const std::string &line)
{
    JudgeReply failed;
    auto request = decodeRequest(line);
    if (!request) {
        failed.error = std::move(request.error());
        return failed;
    }
    const auto start = std::chrono::steady_clock::now();
    auto reply = judge(*request);
    if (!reply) {
        failed.id = request->id;
        failed.error = std::move(reply.error());
        return failed;
    }
    reply->id = request->id;
    reply->seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(*reply);
}

Result<const Task *> SimWorkerLoop::task(const JudgeRequest &request)
{
    const std::pair key(request.taskFolder, request.shapeName);
    auto found = m_tasks.find(key);
    if (found == m_tasks.end() || found->second.hash != request.taskHash) {
        ACCELOPT_TRY(Task loaded, bench::loadTask(request.taskFolder, request.shapeName));
        found = m_tasks.insert_or_assign(key, std::move(loaded)).first;
    }
    if (found->second.hash != request.taskHash)
        return fail(
            ErrorCode::WrongUse,
            fmt::format("the task in {} has changed since it was loaded", request.taskFolder),
            "Load the task again, or start a new run.");
    return &found->second;
}

Result<JudgeReply> SimWorkerLoop::judge(const JudgeRequest &request)
{
    ACCELOPT_TRY(const Task *const known, task(request));
    oracle::JudgeInput input;
    input.source = request.source;
    input.task = *known;
    input.device = request.device;
    input.tensors = request.tensors;
    input.check = request.check;
    input.quickFlops = request.quickFlops;
    input.samplingSeed = request.samplingSeed;
    input.lines = request.lines;
    input.limits.steps = kMostSteps;
    ACCELOPT_TRY(oracle::Judgement judgement, m_judge.judge(input));
    JudgeReply reply;
    reply.verdict = std::move(judgement.verdict);
    reply.profile = std::move(judgement.profile);
    reply.layout = std::move(judgement.layout);
    reply.printed = std::move(judgement.printed);
    return reply;
}

int runWorkerOnStandardStreams(const std::string &software)
{
    if (!std::getenv("OPENBLAS_NUM_THREADS")) {
        // The library has read its environment already; this is what it offers instead.
        using SetThreads = void (*)(int);
        if (const auto setThreads =
                reinterpret_cast<SetThreads>(::dlsym(RTLD_DEFAULT, "openblas_set_num_threads")))
            setThreads(1);
    }
    const int answersDescriptor = ::dup(STDOUT_FILENO);
    if (answersDescriptor < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        std::fputs("nkisim: standard output and standard error must be open\n", stderr);
        return exitStatus(ErrorCode::Environment);
    }
    DescriptorBuffer buffer(answersDescriptor);
    std::ostream answers(&buffer);
    std::ios::sync_with_stdio(false);
    SimWorkerLoop loop(software);
    return loop.run(std::cin, answers);
}

} // namespace accelopt::profiling
