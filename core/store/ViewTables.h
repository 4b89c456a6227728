// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <map>
#include <string>
#include <string_view>

namespace accelopt::store {

/// Version of what the view tables say; a file that holds another is rebuilt when it is opened for
/// writing.
inline constexpr int kViewVersion = 1;

/// Keeps the view tables of a run file: each event becomes rows. Knows the events only, so what it
/// writes is the same whether events come one by one or all at once. Internal to the room; throws
/// what SQLite throws; the caller has the transaction.
class ViewTables
{
public:
    explicit ViewTables(SQLite::Database &database);

    /// True when the file holds exactly the tables that this version writes.
    bool current();
    /// Removes what has the name of a view table and makes all of them anew, empty.
    void recreate();
    void apply(const Event &event);

private:
    template <typename... Values> void run(const char *sql, const Values &...values);

    void apply(const Event &event, const RunOpened &body);
    void apply(const Event &event, const CallStarted &body);
    void apply(const Event &event, const PlanMade &body);
    void apply(const Event &event, const AttemptMade &body);
    void apply(const Event &event, const CallFailed &body);
    void apply(const Event &event, const KernelJudged &body);
    void apply(const Event &event, const PairSummarized &body);
    void apply(const Event &event, const PersonDecided &body);
    void apply(const Event &event, const TimePassed &body);
    void apply(const Event &event, const RunContinued &body);
    void apply(const Event &event, const RunFinished &body);
    void apply(const Event &event, const BudgetMoved &body);

    struct CallOutcome;
    void finishCall(const Event &event, const CallOutcome &outcome);

    SQLite::Database &m_database;
    std::map<const char *, SQLite::Statement> m_statements;
};

/// The objects that a schema file makes: name to statement, with blanks made uniform.
std::map<std::string, std::string> schemaObjects(std::string_view sql);
/// The same of an opened database, without SQLite's own objects.
std::map<std::string, std::string> schemaObjects(SQLite::Database &database);

} // namespace accelopt::store
