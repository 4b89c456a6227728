// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/agents/Keychain.h"

#include <QtGlobal>

#ifdef ACCELOPT_WITH_KEYCHAIN
#include <QEventLoop>
#include <QString>
#include <QTimer>
#include <fmt/format.h>
#include <qt6keychain/keychain.h>
#endif

namespace accelopt::agents {

bool Keychain::available()
{
#ifdef ACCELOPT_WITH_KEYCHAIN
    return qgetenv("ACCELOPT_KEYCHAIN") != "off";
#else
    return false;
#endif
}

#ifdef ACCELOPT_WITH_KEYCHAIN

namespace {

constexpr int kKeychainWaitMs = 30'000; // somebody may have to type a password

QString keychainService()
{
    return QStringLiteral("accelopt");
}

/// Starts the job and waits for it.
Result<void> carryOut(QKeychain::Job &job, const std::string &name)
{
    QEventLoop loop;
    QTimer limit;
    bool late = false;
    job.setAutoDelete(false);
    job.setKey(QString::fromStdString(name));
    QObject::connect(&job, &QKeychain::Job::finished, &loop, &QEventLoop::quit);
    QObject::connect(&limit, &QTimer::timeout, &loop, [&] {
        late = true;
        loop.quit();
    });
    limit.setSingleShot(true);
    limit.start(kKeychainWaitMs);
    job.start();
    loop.exec(QEventLoop::ExcludeUserInputEvents);
    if (late)
        return fail(ErrorCode::Environment, "the keychain does not answer",
                    "unlock it, or put the key into the environment");
    if (job.error() == QKeychain::NoError)
        return {};
    // What is locked and what was never stored looks the same in some keychains.
    if (job.error() == QKeychain::EntryNotFound)
        return fail(ErrorCode::Environment,
                    fmt::format("there is no {} in the keychain, or it is locked", name),
                    "store it with `accelopt models key`, or unlock the keychain");
    return fail(ErrorCode::Environment,
                fmt::format("the keychain cannot be used: {}", job.errorString().toStdString()),
                "put the key into the environment instead");
}

} // namespace

Result<std::string> Keychain::read(const std::string &name)
{
    if (!available())
        return fail(ErrorCode::Environment, "the keychain is switched off");
    QKeychain::ReadPasswordJob job(keychainService());
    ACCELOPT_CHECK(carryOut(job, name));
    return job.textData().toStdString();
}

Result<void> Keychain::write(const std::string &name, const std::string &secret)
{
    if (!available())
        return fail(ErrorCode::Environment, "the keychain is switched off",
                    "unset ACCELOPT_KEYCHAIN");
    QKeychain::WritePasswordJob job(keychainService());
    job.setTextData(QString::fromStdString(secret));
    return carryOut(job, name);
}

Result<void> Keychain::forget(const std::string &name)
{
    if (!available())
        return fail(ErrorCode::Environment, "the keychain is switched off",
                    "unset ACCELOPT_KEYCHAIN");
    QKeychain::DeletePasswordJob job(keychainService());
    return carryOut(job, name);
}

#else

Result<std::string> Keychain::read(const std::string &)
{
    return fail(ErrorCode::Environment, "this program was built without a keychain");
}

Result<void> Keychain::write(const std::string &, const std::string &)
{
    return fail(ErrorCode::Environment, "this program was built without a keychain",
                "put the key into the environment");
}

Result<void> Keychain::forget(const std::string &)
{
    return fail(ErrorCode::Environment, "this program was built without a keychain",
                "there is nothing to forget");
}

#endif

} // namespace accelopt::agents
