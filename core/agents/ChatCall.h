// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/agents/ChatAnswer.h"
#include "core/agents/SseParser.h"

#include <QByteArray>
#include <QNetworkReply>
#include <QObject>
#include <QPointer>
#include <QTimer>
#include <QUrl>

class QNetworkAccessManager;

namespace accelopt::agents {

/// One request to a chat server and its streamed answer.
struct ChatRequest
{
    QUrl url;
    QByteArray key; ///< sent as a bearer token; empty: none
    QByteArray body;
    double firstByteSeconds = 180;
    double idleSeconds = 60;
    double mostSeconds = 1800;
};

/// Carries out one exchange. After finished() it is of no more use.
class ChatCall : public QObject
{
    Q_OBJECT

public:
    /// `network` is borrowed.
    ChatCall(QNetworkAccessManager *network, ChatRequest request, QObject *parent);
    ~ChatCall() override;

    void start();
    const ChatAnswer &answer() const { return m_answer; }
    /// Whether the server began to answer, so that tokens may have been paid.
    bool answered() const { return m_answered; }
    const ChatFailure &failure() const { return m_failure; }

signals:
    void finished();

private:
    void onBytes();
    void onFinished();
    void take(const QByteArray &bytes);
    void end(ChatFailure failure);

    QNetworkAccessManager *m_network;
    ChatRequest m_request;
    QPointer<QNetworkReply> m_reply; ///< belongs to the manager, which may go first
    QTimer m_silence;
    QTimer m_deadline;
    SseParser m_events;
    ChatAnswer m_answer;
    ChatFailure m_failure;
    QByteArray m_body; ///< of an error, or of an answer that is not streamed
    qint64 m_bytes = 0;
    bool m_answered = false;
    bool m_ended = false;
};

} // namespace accelopt::agents
