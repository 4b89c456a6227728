// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/PersonCorrespondent.h"

#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace accelopt::agents {
namespace {

constexpr int kLookEveryMs = 500;

std::string contentOfAnswer(const std::filesystem::path &file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace

PersonCorrespondent::PersonCorrespondent(std::filesystem::path folder, QObject *parent)
    : QObject(parent),
      m_folder(std::move(folder))
{
    m_look.setInterval(kLookEveryMs);
    connect(&m_look, &QTimer::timeout, this, &PersonCorrespondent::look);
}

std::filesystem::path PersonCorrespondent::fileOf(const CallId &call, const char *kind) const
{
    return m_folder / (call.value + kind);
}

void PersonCorrespondent::ask(Letter letter, Done done)
{
    m_queue.push_back({std::move(letter), std::move(done)});
    if (!m_asked)
        QMetaObject::invokeMethod(this, &PersonCorrespondent::next, Qt::QueuedConnection);
}

void PersonCorrespondent::cancelAll()
{
    m_queue.clear();
    m_asked = false;
    m_look.stop();
}

void PersonCorrespondent::next()
{
    if (m_asked || m_queue.empty())
        return;
    m_asked = true;
    m_seen.clear();
    const Letter &letter = m_queue.front().letter;
    const std::filesystem::path prompt = fileOf(letter.call, ".prompt.md");
    std::error_code error;
    std::filesystem::create_directories(m_folder, error);
    std::ofstream stream(prompt, std::ios::binary | std::ios::trunc);
    stream << readable(letter.messages);
    stream.close();
    if (!stream) {
        finish(fail(ErrorCode::Environment,
                    fmt::format("the prompt {} cannot be written", prompt.string()),
                    "make room, or put the run file into a folder you may write"));
        return;
    }
    emit waiting(QString::fromStdString(prompt.string()),
                 QString::fromStdString(fileOf(letter.call, ".answer.md").string()));
    m_look.start();
}

void PersonCorrespondent::look()
{
    if (!m_asked || m_queue.empty())
        return;
    const std::string answer = contentOfAnswer(fileOf(m_queue.front().letter.call, ".answer.md"));
    // Taken when it has not grown between two looks.
    if (answer.empty() || answer != m_seen) {
        m_seen = answer;
        return;
    }
    finish(answer);
}

void PersonCorrespondent::finish(Result<std::string> text)
{
    m_look.stop();
    m_asked = false;
    Job job = std::move(m_queue.front());
    m_queue.pop_front();
    LetterReply reply{text, {}, {}, "person", {}, {}};
    reply.sent = readable(job.letter.messages);
    reply.received = text.value_or(std::string());
    reply.usage.calls = 1;
    QMetaObject::invokeMethod(this, &PersonCorrespondent::next, Qt::QueuedConnection);
    job.done(std::move(reply));
}

} // namespace accelopt::agents
