// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>
#include <QPointer>
#include <QString>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTimer>
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace accelopt::tests {

/// What the server does with one request: pieces of raw bytes, one per turn of the event loop, and
/// what becomes of the connection then.
struct Scripted
{
    enum class End { Close, Reset, Silence };
    std::vector<QByteArray> pieces;
    End end = End::Close;
};

/// A request as it came.
struct Requested
{
    QByteArray head;
    QByteArray body;
};

inline Scripted http(int status, const QByteArray &body, const QByteArray &headers = {},
                     const QByteArray &type = "application/json")
{
    return {{"HTTP/1.1 " + QByteArray::number(status) + " x\r\nContent-Type: " + type +
             "\r\nContent-Length: " + QByteArray::number(body.size()) +
             "\r\nConnection: close\r\n" + headers + "\r\n" + body},
            Scripted::End::Close};
}

/// A chunked stream of server-sent events whose bytes are `pieces`; ends properly unless told
/// otherwise.
inline Scripted stream(const std::vector<QByteArray> &pieces,
                       Scripted::End end = Scripted::End::Close)
{
    Scripted script;
    script.pieces.push_back("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                            "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
    for (const QByteArray &piece : pieces)
        script.pieces.push_back(QByteArray::number(piece.size(), 16) + "\r\n" + piece + "\r\n");
    if (end == Scripted::End::Close)
        script.pieces.push_back("0\r\n\r\n");
    script.end = end;
    return script;
}

/// `text` as a JSON string with its quotes.
inline QByteArray quoted(const QByteArray &text)
{
    QByteArray result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        if (c == '\n')
            result += "\\n";
        else
            result += c;
    }
    return result + "\"";
}

inline QByteArray sse(const QByteArray &json)
{
    return "data: " + json + "\n\n";
}

inline QByteArray delta(const QByteArray &text)
{
    return sse("{\"choices\":[{\"index\":0,\"delta\":{\"content\":" + quoted(text) + "}}]}");
}

inline QByteArray finish(const QByteArray &reason = "stop")
{
    return sse("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" + reason + "\"}]}");
}

inline QByteArray usageEvent(int prompt, int cached, int completion)
{
    return sse("{\"choices\":[],\"usage\":{\"prompt_tokens\":" + QByteArray::number(prompt) +
               ",\"completion_tokens\":" + QByteArray::number(completion) +
               ",\"prompt_tokens_details\":{\"cached_tokens\":" + QByteArray::number(cached) +
               "}}}");
}

inline const QByteArray kDone = "data: [DONE]\n\n";

/// A good streamed answer.
inline Scripted answer(const QByteArray &text)
{
    return stream({delta(text), finish(), usageEvent(100, 40, 10), kDone});
}

/// An HTTP server on loopback that does what its script says, byte by byte.
class ScriptedServer : public QTcpServer
{
public:
    using Script = std::function<Scripted(const Requested &, int number)>;

    explicit ScriptedServer(Script script) : m_script(std::move(script))
    {
        listen(QHostAddress::LocalHost);
        connect(this, &QTcpServer::newConnection, this, [this] {
            while (QTcpSocket *socket = nextPendingConnection())
                attend(socket);
        });
    }

    std::string address() const
    {
        return "http://127.0.0.1:" + std::to_string(serverPort()) + "/v1";
    }

    std::vector<Requested> requests;
    int open = 0;
    int mostOpen = 0; ///< requests that were under way together, at most
    int delayMs = 0;  ///< before each answer

private:
    void attend(QTcpSocket *socket)
    {
        auto received = std::make_shared<QByteArray>();
        connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
        connect(socket, &QTcpSocket::readyRead, this, [this, socket, received] {
            *received += socket->readAll();
            const qsizetype end = received->indexOf("\r\n\r\n");
            if (end < 0)
                return;
            const QByteArray head = received->left(end);
            const qsizetype at = head.toLower().indexOf("content-length:");
            const qsizetype length =
                at < 0 ? 0 : head.mid(at + 15).split('\r')[0].trimmed().toInt();
            if (received->size() < end + 4 + length)
                return;
            requests.push_back({head, received->mid(end + 4, length)});
            received->clear();
            mostOpen = std::max(mostOpen, ++open);
            const Scripted script = m_script(requests.back(), int(requests.size()));
            QTimer::singleShot(delayMs, this, [=, this, to = QPointer<QTcpSocket>(socket)] {
                send(to, script, 0);
            });
        });
    }

    void send(QPointer<QTcpSocket> socket, Scripted script, std::size_t piece)
    {
        if (!socket)
            return;
        if (piece < script.pieces.size()) {
            socket->write(script.pieces[piece]);
            socket->flush();
            QTimer::singleShot(0, this, [=, this] { send(socket, script, piece + 1); });
            return;
        }
        --open;
        if (script.end == Scripted::End::Close)
            socket->disconnectFromHost();
        else if (script.end == Scripted::End::Reset)
            socket->abort();
    }

    Script m_script;
};

} // namespace accelopt::tests
