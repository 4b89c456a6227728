// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/ForkedChild.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sys/wait.h>
#include <unistd.h>

namespace accelopt::tests {

ForkedChild::ForkedChild(const std::function<void(const Say &)> &body)
{
    int ends[2] = {-1, -1};
    if (pipe(ends) != 0) {
        std::perror("pipe");
        std::abort();
    }
    m_pid = fork();
    if (m_pid < 0) {
        std::perror("fork");
        std::abort();
    }
    if (m_pid == 0) {
        ::close(ends[0]);
        const int out = ends[1];
        const Say say = [out](const std::string &text) {
            const std::string whole = text + '\n';
            std::size_t sent = 0;
            while (sent < whole.size()) {
                const ssize_t count = write(out, whole.data() + sent, whole.size() - sent);
                if (count < 0)
                    _exit(3);
                sent += static_cast<std::size_t>(count);
            }
        };
        try {
            body(say);
        } catch (const std::exception &exception) {
            say(exception.what());
            _exit(2);
        }
        _exit(0);
    }
    ::close(ends[1]);
    m_pipe = ends[0];
}

ForkedChild::~ForkedChild()
{
    kill();
    ::close(m_pipe);
}

std::string ForkedChild::line()
{
    while (true) {
        const std::size_t end = m_buffer.find('\n');
        if (end != std::string::npos) {
            std::string text = m_buffer.substr(0, end);
            m_buffer.erase(0, end + 1);
            return text;
        }
        char bytes[4096];
        const ssize_t count = read(m_pipe, bytes, sizeof bytes);
        if (count <= 0)
            return {};
        m_buffer.append(bytes, static_cast<std::size_t>(count));
    }
}

void ForkedChild::kill()
{
    if (m_pid < 0)
        return;
    ::kill(m_pid, SIGKILL);
    waitpid(m_pid, nullptr, 0);
    m_pid = -1;
}

} // namespace accelopt::tests
