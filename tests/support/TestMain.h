// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QtTest/QTest>
#include <memory>
#include <string>
#include <string_view>

#include "core/domain/Result.h"

namespace accelopt::tests {

/// Makes a test class known to the main() of its room's test program. Use ACCELOPT_TEST.
class Registration
{
public:
    using Maker = std::unique_ptr<QObject> (*)();
    Registration(const char *className, Maker maker);
};

/// Why a Result failed, as one line; "no error" for one that did not.
template <typename T> std::string whyFailed(const Result<T> &result)
{
    return result ? std::string("no error") : describe(result.error());
}

} // namespace accelopt::tests

namespace QTest {
/// Lets QCOMPARE of standard strings print both sides.
template <> inline char *toString(const std::string &text)
{
    return qstrdup(text.c_str());
}
template <> inline char *toString(const std::string_view &text)
{
    return qstrdup(std::string(text).c_str());
}
} // namespace QTest

/// Put at the end of each tst_*.cpp, before its .moc: `ACCELOPT_TEST(tst_Hash)`.
#define ACCELOPT_TEST(Class)                                                                       \
    static const accelopt::tests::Registration registrationOf##Class(                              \
        #Class, []() -> std::unique_ptr<QObject> { return std::make_unique<Class>(); });

/// Fails the test with the error's own words when a Result carries an error.
#define ACCELOPT_VERIFY_OK(result)                                                                 \
    do {                                                                                           \
        const auto &verified = (result); /* evaluated once: it may be a call */                    \
        QVERIFY2(verified.has_value(), accelopt::tests::whyFailed(verified).c_str());              \
    } while (false)
