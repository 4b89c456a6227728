// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/agents/ChatCall.h"
#include "core/agents/Correspondent.h"
#include "core/agents/ModelProfile.h"

#include <QObject>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

class QNetworkAccessManager;

namespace accelopt::agents {

/// A model behind an OpenAI-compatible server. The only place where calls are repeated, with one
/// deadline per call: what fails for a while is asked again after a growing, jittered wait; "too
/// many requests" slows down all calls to this server; what no retry can cure (key, quota, name of
/// the model) fails every call at once, so that nobody pays for hundreds of failures. The key's
/// value is taken out of everything that is handed on. Lives on one thread with an event loop.
class ChatService : public QObject, public Correspondent
{
    Q_OBJECT

public:
    /// `key` is the key itself, see keyOf().
    ChatService(ModelProfile profile, std::string key, QObject *parent = nullptr);
    ~ChatService() override;

    void ask(Letter letter, Done done) override;
    int callsAtOnce() const override { return m_profile.callsAtOnce; }
    void cancelAll() override;

    /// How long to wait before a retry, in seconds times a random factor around 1; a test takes
    /// none.
    void setBackoff(double seconds) { m_backoffSeconds = seconds; }

signals:
    /// What is the matter, for a person who waits ("... answered 429; asking again in 8 s").
    void troubled(const QString &text);

private:
    struct Job;
    struct Line;

    void pump();
    void scheduleAt(double seconds);
    void start(const std::shared_ptr<Job> &job);
    void onFinished(const std::shared_ptr<Job> &job);
    void again(const std::shared_ptr<Job> &job, const ChatFailure &failure);
    void give(const std::shared_ptr<Job> &job, Result<std::string> text);
    bool dropField(Job &job, const std::string &message) const;
    void failQueued(const Error &error);
    QByteArray bodyOf(const Job &job) const;
    Error errorOf(const ChatFailure &failure) const;
    std::string clean(std::string text) const;
    double now() const;
    double jitter();

    ModelProfile m_profile;
    std::string m_key;
    std::vector<std::unique_ptr<Line>> m_lines;
    std::deque<std::shared_ptr<Job>> m_queue;
    std::vector<std::shared_ptr<Job>> m_running;
    QTimer m_wake;
    double m_backoffSeconds = 1;
    double m_notBefore = 0; ///< no call starts earlier: the server asked for a pause
    int m_atOnce;           ///< now; lowered by "too many requests", raised by answers
    unsigned m_random = 1;
};

} // namespace accelopt::agents
