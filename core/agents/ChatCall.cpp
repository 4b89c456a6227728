// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/ChatCall.h"

#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QNetworkRequest>
#include <algorithm>
#include <fmt/format.h>

namespace accelopt::agents {
namespace {

/// No answer of a model is larger; servers have sent error pages of a hundred megabytes.
constexpr qint64 kMostAnswerBytes = qint64(32) << 20;
constexpr qint64 kMostErrorBytes = qint64(64) << 10;

std::chrono::milliseconds milliseconds(double seconds)
{
    return std::chrono::milliseconds(std::int64_t(std::min(seconds, 1e6) * 1000));
}

int statusOf(const QNetworkReply &reply)
{
    return reply.attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
}

} // namespace

ChatCall::ChatCall(QNetworkAccessManager *network, ChatRequest request, QObject *parent)
    : QObject(parent),
      m_network(network),
      m_request(std::move(request))
{
    m_silence.setSingleShot(true);
    m_deadline.setSingleShot(true);
    connect(&m_silence, &QTimer::timeout, this, [this] {
        end({ChatClass::Stall,
             fmt::format("the server was silent for {:g} s",
                         m_answered ? m_request.idleSeconds : m_request.firstByteSeconds),
             std::nullopt});
    });
    connect(&m_deadline, &QTimer::timeout, this, [this] {
        end({ChatClass::Stall,
             fmt::format("the answer was not complete after {:g} s", m_request.mostSeconds),
             std::nullopt});
    });
}

ChatCall::~ChatCall()
{
    m_ended = true;
    if (m_reply) {
        m_reply->disconnect(this);
        m_reply->abort();
        m_reply->deleteLater();
    }
}

void ChatCall::start()
{
    QNetworkRequest request(m_request.url);
    request.setHeader(QNetworkRequest::ContentTypeHeader, QStringLiteral("application/json"));
    request.setRawHeader("Accept", "text/event-stream, application/json");
    if (!m_request.key.isEmpty())
        request.setRawHeader("Authorization", "Bearer " + m_request.key);
    // A redirection would take the key and the prompt to a place that nobody named.
    request.setAttribute(QNetworkRequest::RedirectPolicyAttribute,
                         QNetworkRequest::ManualRedirectPolicy);
    request.setAttribute(QNetworkRequest::Http2AllowedAttribute, false);
    request.setAttribute(QNetworkRequest::CookieLoadControlAttribute, QNetworkRequest::Manual);
    request.setAttribute(QNetworkRequest::CookieSaveControlAttribute, QNetworkRequest::Manual);
    m_silence.start(milliseconds(m_request.firstByteSeconds));
    m_deadline.start(milliseconds(m_request.mostSeconds));
    m_reply = m_network->post(request, m_request.body);
    connect(m_reply, &QNetworkReply::readyRead, this, &ChatCall::onBytes);
    connect(m_reply, &QNetworkReply::finished, this, &ChatCall::onFinished);
}

void ChatCall::onBytes()
{
    if (m_ended)
        return;
    m_silence.start(milliseconds(m_request.idleSeconds));
    take(m_reply->readAll());
}

void ChatCall::take(const QByteArray &bytes)
{
    const int status = statusOf(*m_reply);
    m_bytes += bytes.size();
    if (status != 200) {
        m_body += bytes.left(kMostErrorBytes - m_body.size());
        if (m_bytes > kMostErrorBytes)
            onFinished();
        return;
    }
    m_answered = true;
    if (m_bytes > kMostAnswerBytes) {
        end({ChatClass::Transient, "the server's answer does not end", std::nullopt});
        return;
    }
    const QByteArray type = m_reply->header(QNetworkRequest::ContentTypeHeader).toByteArray();
    if (type.startsWith("application/json")) {
        m_body += bytes;
        return;
    }
    for (const std::string &event : m_events.feed({bytes.constData(), std::size_t(bytes.size())}))
        m_answer.takeEvent(event);
}

void ChatCall::onFinished()
{
    if (m_ended)
        return;
    if (m_reply->isOpen() && m_reply->bytesAvailable() > 0 && m_bytes <= kMostErrorBytes)
        take(m_reply->readAll());
    if (m_ended)
        return;
    const int status = statusOf(*m_reply);
    if (status == 0) {
        end({ChatClass::Network,
             fmt::format("{} cannot be reached: {}", m_request.url.host().toStdString(),
                         m_reply->errorString().toStdString()),
             std::nullopt});
        return;
    }
    if (status != 200) {
        const QByteArray wait = m_reply->rawHeader("Retry-After");
        end(classifyStatus(status, {m_body.constData(), std::size_t(m_body.size())},
                           {wait.constData(), std::size_t(wait.size())}));
        return;
    }
    if (!m_body.isEmpty()) {
        if (m_reply->error() == QNetworkReply::NoError)
            m_answer.takeDocument({m_body.constData(), std::size_t(m_body.size())});
    } else {
        m_answer.takeEvent(m_events.rest());
    }
    end(m_answer.judge());
}

void ChatCall::end(ChatFailure failure)
{
    if (std::exchange(m_ended, true))
        return;
    m_silence.stop();
    m_deadline.stop();
    m_failure = std::move(failure);
    emit finished();
}

} // namespace accelopt::agents
