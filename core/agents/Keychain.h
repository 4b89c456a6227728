// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Result.h"

#include <string>

namespace accelopt::agents {

/// Keys of model servers in the desktop's keychain (QtKeychain: Secret Service or KWallet), for
/// those who do not want them in the environment. Each function waits for the keychain, at most
/// some seconds: it may ask the user to unlock it.
class Keychain
{
public:
    /// Whether this program was built with QtKeychain and ACCELOPT_KEYCHAIN is not "off".
    static bool available();
    /// The secret of this name. Environment error when there is none, or the keychain is locked or
    /// not there: these cannot always be told apart.
    static Result<std::string> read(const std::string &name);
    static Result<void> write(const std::string &name, const std::string &secret);
    static Result<void> forget(const std::string &name);
};

} // namespace accelopt::agents
