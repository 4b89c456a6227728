// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runner/Steering.h"

#include "core/domain/Hash.h"
#include "core/runner/PersonsEvents.h"

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLocalServer>
#include <QLocalSocket>
#include <QTimer>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace accelopt::runner {

namespace {

/// An order may carry a kernel; more than this is none.
constexpr qint64 kLongestOrder = 4 << 20;
constexpr int kPatienceMs = 3000;

constexpr std::pair<Advance, const char *> kAdvanceNames[] = {{Advance::Pause, "pause"},
                                                              {Advance::Item, "item"},
                                                              {Advance::Phase, "phase"},
                                                              {Advance::Iteration, "iteration"},
                                                              {Advance::Run, "run"}};

const char *advanceName(Advance mode)
{
    for (const auto &[value, text] : kAdvanceNames)
        if (value == mode)
            return text;
    return "pause";
}

std::optional<Advance> advanceOf(const std::string &text)
{
    for (const auto &[value, called] : kAdvanceNames)
        if (text == called)
            return value;
    return std::nullopt;
}

nlohmann::json reportOf(const SearchRunner &runner)
{
    return {
        {"ok", true}, {"mode", advanceName(runner.mode())}, {"inFlight", runner.inFlight().size()}};
}

Result<SteerReport> steerReport(const QByteArray &line)
{
    const nlohmann::json json =
        nlohmann::json::parse(line.constData(), line.constData() + line.size(), nullptr, false);
    if (!json.is_object())
        return fail(ErrorCode::Environment,
                    "the process that writes the run answered with nothing "
                    "that is an answer",
                    "use the same version of the workbench for both");
    if (!json.value("ok", false))
        return fail(ErrorCode::WrongUse, json.value("message", std::string("it was refused")),
                    json.value("hint", std::string("nothing was changed")));
    return SteerReport{advanceOf(json.value("mode", std::string())).value_or(Advance::Pause),
                       json.value("inFlight", 0)};
}

} // namespace

QString steeringAddress(const std::filesystem::path &runFile)
{
    std::error_code error;
    const std::filesystem::path whole = std::filesystem::weakly_canonical(runFile, error);
    const QByteArray runtime = qgetenv("XDG_RUNTIME_DIR");
    const QString folder =
        runtime.isEmpty() || !QFileInfo(QFile::decodeName(runtime)).isDir()
            ? QStringLiteral("%1/accelopt-%2").arg(QDir::tempPath()).arg(getuid())
            : QFile::decodeName(runtime) + QStringLiteral("/accelopt");
    QDir().mkpath(folder);
    // In a folder that others may write into, somebody else may have made it first.
    if (QFileInfo(folder).ownerId() != getuid() ||
        !QFile::setPermissions(folder, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner))
        return {};
    return folder + QLatin1Char('/') +
           QString::fromStdString(sha256((error ? runFile : whole).string()).substr(0, 24));
}

std::string toLine(const SteerOrder &order)
{
    nlohmann::json json = nlohmann::json::object();
    if (order.advance)
        json["advance"] = advanceName(*order.advance);
    for (const EventBody &body : order.bodies)
        json["events"].push_back({{"kind", std::string(kind(body))},
                                  {"version", kPayloadVersion},
                                  {"payload", payload(body)}});
    for (const Text &text : order.texts)
        json["texts"].push_back(text.bytes);
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<SteerOrder> steerOrder(const std::string &line)
{
    const auto noOrder = [] {
        return fail(ErrorCode::WrongUse, "that is no order to a search",
                    "use the same version of the workbench for both");
    };
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object())
        return noOrder();
    SteerOrder order;
    try {
        if (json.contains("advance")) {
            order.advance = advanceOf(json.at("advance").get<std::string>());
            if (!order.advance)
                return noOrder();
        }
        for (const nlohmann::json &event : json.value("events", nlohmann::json::array())) {
            ACCELOPT_TRY(EventBody body,
                         eventBody(event.at("kind").get<std::string>(),
                                   event.at("version").get<int>(), event.at("payload")));
            order.bodies.push_back(std::move(body));
        }
        for (const nlohmann::json &text : json.value("texts", nlohmann::json::array()))
            order.texts.push_back(makeText(text.get<std::string>()));
    } catch (const nlohmann::json::exception &) {
        return noOrder();
    }
    return order;
}

SteerServer::SteerServer(SearchRunner *runner, const std::filesystem::path &runFile,
                         QObject *parent)
    : QObject(parent),
      m_runner(runner),
      m_server(new QLocalServer(this))
{
    m_server->setSocketOptions(QLocalServer::UserAccessOption);
    const QString address = steeringAddress(runFile);
    if (address.isEmpty())
        return;
    QLocalServer::removeServer(address); // left by a process that crashed
    m_server->listen(address);
    connect(m_server, &QLocalServer::newConnection, this, [this] {
        while (QLocalSocket *socket = m_server->nextPendingConnection())
            serve(socket);
    });
}

SteerServer::~SteerServer() = default;

bool SteerServer::isListening() const
{
    return m_server->isListening();
}

void SteerServer::serve(QLocalSocket *socket)
{
    connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
    connect(socket, &QLocalSocket::readyRead, this, [this, socket] {
        if (!socket->canReadLine()) {
            if (socket->bytesAvailable() > kLongestOrder)
                socket->abort();
            return;
        }
        const std::string answer = answerTo(socket->readLine().toStdString()) + '\n';
        socket->write(answer.data(), qint64(answer.size()));
        socket->flush();
        socket->disconnectFromServer();
    });
}

std::string SteerServer::answerTo(const std::string &line)
{
    const auto refusal = [](const Error &error) {
        const nlohmann::json json = {
            {"ok", false}, {"message", error.message}, {"hint", error.hint}};
        return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    };
    const Result<SteerOrder> order = steerOrder(line);
    if (!order)
        return refusal(order.error());
    if (!order->bodies.empty()) {
        if (const auto good = refuseIgnored(m_runner->state(), order->bodies); !good)
            return refusal(good.error());
        if (const auto done = m_runner->record(order->bodies, order->texts, "human"); !done)
            return refusal(done.error());
    }
    if (order->advance)
        m_runner->advance(*order->advance);
    if (order->advance || !order->bodies.empty())
        emit steered(order->advance ? QString::fromLatin1(advanceName(*order->advance))
                                    : QString());
    return reportOf(*m_runner).dump();
}

SteerClient::SteerClient(QObject *parent) : QObject(parent) {}

void SteerClient::send(const std::filesystem::path &runFile, const SteerOrder &order,
                       std::function<void(Result<SteerReport>)> done)
{
    auto *socket = new QLocalSocket(this);
    auto *patience = new QTimer(socket);
    patience->setSingleShot(true);
    // Told once, whatever comes first; the socket goes with it.
    const auto tell = [socket, done = std::move(done)](Result<SteerReport> report) {
        if (socket->property("told").toBool())
            return;
        socket->setProperty("told", true);
        socket->deleteLater();
        done(std::move(report));
    };
    const auto nobody = [tell] {
        tell(fail(ErrorCode::Environment,
                  "the process that writes this run takes no orders from here",
                  "it runs on another machine, or it is an experiment over several tasks"));
    };
    connect(socket, &QLocalSocket::connected, socket, [socket, line = toLine(order)] {
        socket->write(line.data(), qint64(line.size()));
        socket->write("\n");
    });
    connect(socket, &QLocalSocket::readyRead, socket, [socket, tell] {
        if (socket->canReadLine())
            tell(steerReport(socket->readLine()));
    });
    connect(socket, &QLocalSocket::errorOccurred, socket, nobody);
    connect(socket, &QLocalSocket::disconnected, socket, nobody);
    connect(patience, &QTimer::timeout, socket, nobody);
    patience->start(kPatienceMs);
    const QString address = steeringAddress(runFile);
    if (address.isEmpty())
        QTimer::singleShot(0, socket, nobody);
    else
        socket->connectToServer(address);
}

} // namespace accelopt::runner
