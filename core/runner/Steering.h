// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/domain/Result.h"
#include "core/runner/SearchRunner.h"

#include <QObject>
#include <QString>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class QLocalServer;
class QLocalSocket;

namespace accelopt::runner {

// Only one process writes a run. Others on the same machine, of the same user, take a hand in it by
// sending that process orders over a local socket: one line of JSON there, one line back.

/// What the driving process is asked to do; each part may be missing. With none it only reports.
struct SteerOrder
{
    std::optional<Advance> advance;
    std::vector<EventBody> bodies; ///< of a person's, all or none
    std::vector<Text> texts;
};

/// What the driving process answers.
struct SteerReport
{
    Advance mode = Advance::Pause; ///< how far it goes
    int inFlight = 0;              ///< calls and judgements under way
};

/// Where the process that writes this run file takes orders; empty when no folder for it can be
/// made that belongs to the user alone.
QString steeringAddress(const std::filesystem::path &runFile);

std::string toLine(const SteerOrder &order);
/// WrongUse error for a line that is no order.
Result<SteerOrder> steerOrder(const std::string &line);

/// Takes orders for one search, as long as it lives. Whoever makes it holds the right to write the
/// run file, so that an address left by a crashed process is its own.
class SteerServer : public QObject
{
    Q_OBJECT

public:
    /// `runner` is borrowed and lives on this thread.
    SteerServer(SearchRunner *runner, const std::filesystem::path &runFile,
                QObject *parent = nullptr);
    ~SteerServer() override;

    bool isListening() const;

signals:
    /// Another process asked for this: "pause", "run", or "" for a change of the run alone.
    void steered(const QString &what);

private:
    void serve(QLocalSocket *socket);
    std::string answerTo(const std::string &line);

    SearchRunner *m_runner;
    QLocalServer *m_server;
};

/// Sends orders to the process that writes a run file. Lives on a thread with an event loop.
class SteerClient : public QObject
{
    Q_OBJECT

public:
    explicit SteerClient(QObject *parent = nullptr);

    /// `done` is called once, with an error of kind Environment when nobody takes orders for this
    /// run, and of another kind when the order was refused.
    void send(const std::filesystem::path &runFile, const SteerOrder &order,
              std::function<void(Result<SteerReport>)> done);
};

} // namespace accelopt::runner
