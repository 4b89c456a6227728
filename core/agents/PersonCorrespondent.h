// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/agents/Correspondent.h"

#include <QObject>
#include <QTimer>
#include <deque>
#include <filesystem>
#include <functional>

namespace accelopt::agents {

/// A person who answers prompts through files: the prompt of a call is written to CALL.prompt.md in
/// a folder, the answer is awaited in CALL.answer.md beside it. One call at a time. An answer that
/// is there already (from before an interruption) is taken at once.
class PersonCorrespondent : public QObject, public Correspondent
{
    Q_OBJECT

public:
    explicit PersonCorrespondent(std::filesystem::path folder, QObject *parent = nullptr);

    void ask(Letter letter, Done done) override;
    int callsAtOnce() const override { return 1; }
    void cancelAll() override;

    /// How often to look for an answer.
    void setInterval(int milliseconds) { m_look.setInterval(milliseconds); }

signals:
    /// A prompt waits in one file for an answer in the other.
    void waiting(const QString &promptFile, const QString &answerFile);

private:
    void next();
    void look();
    std::filesystem::path fileOf(const CallId &call, const char *kind) const;
    void finish(Result<std::string> text);

    struct Job
    {
        Letter letter;
        Done done;
    };
    std::filesystem::path m_folder;
    std::deque<Job> m_queue; ///< the first one is with the person when m_asked
    bool m_asked = false;
    std::string m_seen; ///< what the answer held at the last look: it may be half written
    QTimer m_look;
};

} // namespace accelopt::agents
