// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nki/syntax/SyntaxHelper.h"

#include "core/domain/Resources.h"
#include "core/nki/syntax/Utf8.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace accelopt::nki {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kStartLimit{20};
constexpr std::chrono::seconds kParseLimit{10};
/// For what concerns the text as a whole.
constexpr SourcePlace kFirstPlace{1, 1, 1, 2};
// The largest tree of a text of 256 KiB takes about 20 MB.
constexpr std::size_t kMaximumAnswerBytes = 64u * 1024 * 1024;

SyntaxProblem problemAt(std::string_view source, std::size_t offset, std::string message)
{
    SyntaxProblem problem;
    problem.message = std::move(message);
    const std::string_view before = source.substr(0, offset);
    const std::size_t lastEnd = before.find_last_of('\n');
    const std::size_t lineStart = lastEnd == std::string_view::npos ? 0 : lastEnd + 1;
    problem.place.line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
    problem.place.column = static_cast<int>(offset - lineStart) + 1;
    problem.place.endLine = problem.place.line;
    problem.place.endColumn = problem.place.column + 1;
    return problem;
}

tl::unexpected<Error> cannotRun(const std::string &python, std::string detail)
{
    return fail(
        ErrorCode::Environment,
        fmt::format("the Python interpreter {}, which parses kernels, does not run", python),
        "Install Python 3.9 or later (Debian: apt install python3).", std::move(detail));
}

} // namespace

/// The child process: what is sent to it and received from it goes over one socket, because unlike
/// a pipe that can be written to without risking SIGPIPE.
class SyntaxHelper::Child
{
public:
    enum class Outcome { Done, Died, TimeOut };

    Child() = default;
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;

    ~Child()
    {
        if (m_socket >= 0)
            ::close(m_socket);
        if (m_process > 0) {
            ::kill(m_process, SIGKILL);
            while (::waitpid(m_process, nullptr, 0) < 0 && errno == EINTR) {
            }
        }
    }

    /// Ends the child; whether its own limit of processor time had done so before.
    bool ranOutOfTime()
    {
        ::kill(m_process, SIGKILL);
        int status = 0;
        pid_t ended = -1;
        while ((ended = ::waitpid(m_process, &status, 0)) < 0 && errno == EINTR) {
        }
        if (ended == m_process)
            m_process = -1;
        return ended > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF;
    }

    Result<void> start(const std::string &python)
    {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            return cannotRun(python, std::string("socketpair: ") + std::strerror(errno));
        m_socket = ends[0];
        const int error = spawn(python, ends[1]);
        ::close(ends[1]);
        if (error != 0) {
            m_process = -1;
            return cannotRun(python, std::string("posix_spawn: ") + std::strerror(error));
        }
        ::fcntl(m_socket, F_SETFL, ::fcntl(m_socket, F_GETFL) | O_NONBLOCK);
        std::string greeting;
        if (converse({}, greeting, kStartLimit) != Outcome::Done)
            return cannotRun(python, "no greeting");
        const nlohmann::json json = nlohmann::json::parse(greeting, nullptr, false);
        if (!json.is_object() || !json.contains("ready"))
            return cannotRun(python, "unexpected greeting: " + greeting.substr(0, 200));
        return {};
    }

    /// Sends a request (nothing when empty) and waits for one line of answer.
    Outcome converse(std::string_view request, std::string &answer, std::chrono::seconds limit)
    {
        const Clock::time_point end = Clock::now() + limit;
        answer.clear();
        for (;;) {
            const auto left =
                std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
            if (left <= 0)
                return Outcome::TimeOut;
            pollfd wait{m_socket, static_cast<short>(POLLIN | (request.empty() ? 0 : POLLOUT)), 0};
            const int ready = ::poll(&wait, 1, static_cast<int>(left));
            if (ready < 0 && errno != EINTR)
                return Outcome::Died;
            if (ready <= 0)
                continue;
            if ((wait.revents & POLLOUT) != 0) {
                const ssize_t sent = ::send(m_socket, request.data(), request.size(), MSG_NOSIGNAL);
                if (sent > 0)
                    request.remove_prefix(static_cast<std::size_t>(sent));
                else if (sent < 0 && errno != EAGAIN && errno != EINTR)
                    return Outcome::Died;
            }
            if ((wait.revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
                char buffer[65536];
                const ssize_t got = ::recv(m_socket, buffer, sizeof buffer, 0);
                if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
                    return Outcome::Died;
                if (got > 0) {
                    answer.append(buffer, static_cast<std::size_t>(got));
                    if (answer.size() > kMaximumAnswerBytes)
                        return Outcome::Died;
                    if (answer.back() == '\n')
                        return Outcome::Done;
                }
            }
        }
    }

private:
    int spawn(const std::string &python, int end)
    {
        std::string code(resource("resources/syntax_helper.py"));
        // Isolated, without site packages, with an environment of our own: nothing of the user's is
        // loaded.
        std::string program = python;
        std::string arguments[] = {"-I", "-S", "-B", "-c", code};
        char *const argv[] = {program.data(),
                              arguments[0].data(),
                              arguments[1].data(),
                              arguments[2].data(),
                              arguments[3].data(),
                              arguments[4].data(),
                              nullptr};
        std::string locale = "LC_ALL=C.UTF-8";
        char *const environment[] = {locale.data(), nullptr};

        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, end, 0);
        posix_spawn_file_actions_adddup2(&actions, end, 1);
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
        posix_spawnattr_t attributes;
        posix_spawnattr_init(&attributes);
        sigset_t none;
        sigemptyset(&none);
        posix_spawnattr_setsigmask(&attributes, &none);
        sigset_t usual;
        sigemptyset(&usual);
        sigaddset(&usual, SIGPIPE);
        sigaddset(&usual, SIGINT);
        sigaddset(&usual, SIGTERM);
        posix_spawnattr_setsigdefault(&attributes, &usual);
        // A group of its own, so that Ctrl-C in a terminal is ours to handle.
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                  POSIX_SPAWN_SETPGROUP);
        const int error =
            ::posix_spawnp(&m_process, program.c_str(), &actions, &attributes, argv, environment);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }

    int m_socket = -1;
    pid_t m_process = -1;
};

SyntaxHelper::SyntaxHelper(std::string python) : m_python(std::move(python)) {}

SyntaxHelper::~SyntaxHelper() = default;

Result<Parsed> SyntaxHelper::parse(std::string_view source)
{
    if (source.size() > kMaximumSourceBytes)
        return Parsed(
            tl::unexpected(SyntaxProblem{fmt::format("the source has {} bytes; at most {} are read",
                                                     source.size(), kMaximumSourceBytes),
                                         kFirstPlace}));
    if (const std::optional<std::size_t> bad = invalidUtf8At(source))
        return Parsed(tl::unexpected(problemAt(
            source, *bad,
            fmt::format("the source is not UTF-8: byte 0x{:02x} at offset {}",
                        static_cast<unsigned>(static_cast<unsigned char>(source[*bad])), *bad))));
    if (const std::size_t nul = source.find('\0'); nul != std::string_view::npos)
        return Parsed(tl::unexpected(problemAt(source, nul, "the source contains a zero byte")));
    if (source.substr(0, 3) == "\xEF\xBB\xBF")
        return Parsed(tl::unexpected(problemAt(
            source, 0, "the source begins with a byte order mark; save it as plain UTF-8")));

    const std::string request =
        nlohmann::json{{"source", std::string(source)}}.dump(-1, ' ', true) + "\n";
    Child::Outcome outcome = Child::Outcome::Died;
    // A child that dies may have been killed from outside; only one that dies again died of the
    // text.
    for (int attempt = 0; attempt < 2; ++attempt) {
        if (!m_child) {
            auto child = std::make_unique<Child>();
            ACCELOPT_CHECK(child->start(m_python));
            m_child = std::move(child);
        }
        std::string answer;
        outcome = m_child->converse(request, answer, kParseLimit);
        if (outcome != Child::Outcome::Done) {
            if (outcome == Child::Outcome::Died && m_child->ranOutOfTime())
                outcome = Child::Outcome::TimeOut;
            m_child.reset();
            if (outcome == Child::Outcome::TimeOut)
                break;
            continue;
        }
        const nlohmann::json json = nlohmann::json::parse(answer, nullptr, false);
        if (!json.is_object()) {
            m_child.reset();
            return fail(ErrorCode::Internal, "the syntax helper gave an answer that is not JSON",
                        {}, answer.substr(0, 200));
        }
        if (const auto error = json.find("error"); error != json.end()) {
            SyntaxProblem problem;
            problem.message = error->value("message", std::string("invalid syntax"));
            problem.place = {error->value("line", 0), error->value("col", 0),
                             error->value("endline", 0), error->value("endcol", 0)};
            return Parsed(tl::unexpected(std::move(problem)));
        }
        ACCELOPT_TRY(SyntaxTree tree, SyntaxTree::fromJson(json, std::string(source)));
        return Parsed(std::move(tree));
    }
    return Parsed(tl::unexpected(SyntaxProblem{outcome == Child::Outcome::TimeOut
                                                   ? "Python needs too long to parse the text"
                                                   : "Python's own parser failed on this text",
                                               kFirstPlace}));
}

} // namespace accelopt::nki
