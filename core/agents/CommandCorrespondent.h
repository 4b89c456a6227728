// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/agents/Correspondent.h"
#include "core/agents/ModelProfile.h"

#include <QObject>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace accelopt::agents {

/// An outside program that answers prompts, one process per call. It reads one JSON object on its
/// standard input,
///   {"version": 1, "call": "i0.c0.p1.plan", "role": "planner",
///    "messages": [{"role": "system", "content": "..."}, ...], "text": "the same as one text"}
/// and writes one on its standard output, {"text": "..."}, optionally with "usage":
/// {"prompt_tokens", "cached_tokens", "completion_tokens", "usd"}. Another exit status than 0, or
/// more time than call_seconds, is a failure; what it said on standard error is told.
class CommandCorrespondent : public QObject, public Correspondent
{
    Q_OBJECT

public:
    explicit CommandCorrespondent(ModelProfile profile, QObject *parent = nullptr);
    ~CommandCorrespondent() override;

    void ask(Letter letter, Done done) override;
    int callsAtOnce() const override { return m_profile.callsAtOnce; }
    void cancelAll() override;

private:
    struct Job;

    void pump();
    void finish(const std::shared_ptr<Job> &job, Result<std::string> text);
    void onFinished(const std::shared_ptr<Job> &job);
    Result<std::string> read(Job &job, const std::string &output) const;

    ModelProfile m_profile;
    std::deque<std::shared_ptr<Job>> m_queue;
    std::vector<std::shared_ptr<Job>> m_running;
};

} // namespace accelopt::agents
