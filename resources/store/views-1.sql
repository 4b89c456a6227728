-- SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
-- SPDX-License-Identifier: GPL-3.0-or-later
--
-- What the events of a run file say, as tables for people's own SQL and for exports. Everything here can be
-- dropped and is rebuilt from the events; view_version tells which program's idea of it the file holds.
-- Latencies are milliseconds, times are Unix seconds, truth values are 0 and 1, seq is the event's number.

CREATE TABLE view_version (version INTEGER NOT NULL);

-- One row: what is searched, and how it ended.
CREATE TABLE run (
    only_row        INTEGER PRIMARY KEY CHECK (only_row = 1),
    task            TEXT NOT NULL,
    task_hash       TEXT NOT NULL,
    software        TEXT NOT NULL,
    model_version   TEXT NOT NULL,
    baseline        TEXT NOT NULL,
    device          TEXT NOT NULL,
    shape           TEXT NOT NULL,
    preset          TEXT NOT NULL,
    config          TEXT NOT NULL,
    opened_at       REAL NOT NULL,
    searched_seconds REAL NOT NULL DEFAULT 0,
    continued       INTEGER NOT NULL DEFAULT 0,
    finished_at     REAL,
    stopped_because TEXT
);

-- A call to a role. state: 'in_doubt' (asked, no answer committed), 'answered', 'declined' or 'failed'.
-- asked counts how often the question was put, which is more than once after a crash.
CREATE TABLE call (
    id                TEXT PRIMARY KEY,
    role              TEXT NOT NULL,
    state             TEXT NOT NULL,
    asked             INTEGER NOT NULL DEFAULT 0,
    iteration         INTEGER,
    author            TEXT,
    requests          INTEGER NOT NULL DEFAULT 0,
    prompt_tokens     INTEGER NOT NULL DEFAULT 0,
    cached_tokens     INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0,
    usd               REAL,
    unpriced_requests INTEGER NOT NULL DEFAULT 0,
    reason            TEXT,
    prompt            TEXT,
    answer            TEXT,
    seq               INTEGER NOT NULL
);

CREATE TABLE plan (
    id        TEXT PRIMARY KEY,
    iteration INTEGER NOT NULL,
    candidate INTEGER NOT NULL,
    plan      INTEGER NOT NULL,
    parent    TEXT NOT NULL,
    title     TEXT NOT NULL,
    text      TEXT NOT NULL,
    directive TEXT NOT NULL,
    author    TEXT NOT NULL,
    call      TEXT NOT NULL,
    seq       INTEGER NOT NULL
);

-- A kernel written for a plan; duplicate: the run had the kernel before.
CREATE TABLE attempt (
    seq       INTEGER PRIMARY KEY,
    iteration INTEGER NOT NULL,
    candidate INTEGER NOT NULL,
    plan      INTEGER NOT NULL,
    attempt   INTEGER NOT NULL,
    repair    INTEGER NOT NULL,
    kernel    TEXT NOT NULL,
    duplicate INTEGER NOT NULL,
    call      TEXT NOT NULL
);

-- A distinct kernel with the place where it first appeared (none for the baseline) and the last judgement.
CREATE TABLE kernel (
    id                   TEXT PRIMARY KEY,
    text                 TEXT,
    parent               TEXT,
    iteration            INTEGER,
    candidate            INTEGER,
    plan                 INTEGER,
    attempt              INTEGER,
    verdict              TEXT,
    reason               TEXT,
    device               TEXT,
    simulated            INTEGER,
    model_version        TEXT,
    table_hash           TEXT,
    latency_ms           REAL,
    latency_low_ms       REAL,
    latency_high_ms      REAL,
    percent_of_peak      REAL,
    bound                TEXT,
    confirmation_verdict TEXT,
    confirmed_latency_ms REAL,
    pinned               INTEGER NOT NULL DEFAULT 0,
    dropped              INTEGER NOT NULL DEFAULT 0,
    seq                  INTEGER NOT NULL
);

-- An item of the optimisation memory. review: 'proposed', 'approved' or 'rejected', as a person said.
CREATE TABLE item (
    id             TEXT PRIMARY KEY,
    iteration      INTEGER NOT NULL,
    rank           INTEGER NOT NULL,
    positive       INTEGER NOT NULL,
    speedup        REAL,
    title          TEXT NOT NULL,
    strategy       TEXT NOT NULL,
    first_title    TEXT NOT NULL,
    first_strategy TEXT NOT NULL,
    before         TEXT NOT NULL,
    after          TEXT NOT NULL,
    slow           TEXT NOT NULL,
    fast           TEXT NOT NULL,
    plan           TEXT NOT NULL,
    tags           TEXT NOT NULL,
    review         TEXT NOT NULL DEFAULT 'proposed',
    pinned         INTEGER NOT NULL DEFAULT 0,
    call           TEXT NOT NULL,
    seq            INTEGER NOT NULL
);

CREATE TABLE decision (
    seq      INTEGER PRIMARY KEY,
    time     REAL NOT NULL,
    actor    TEXT NOT NULL,
    decision TEXT NOT NULL,
    kernel   TEXT NOT NULL,
    item     TEXT NOT NULL,
    reason   TEXT NOT NULL
);

-- Correct kernels, fastest first. Only kernels judged on the baseline's device by the same model stand here:
-- figures of different kinds never share a ranking.
CREATE VIEW ranking AS
SELECT row_number() OVER (ORDER BY k.latency_ms, k.id) AS rank,
       k.id AS kernel, k.iteration, k.latency_ms, b.latency_ms / k.latency_ms AS speedup,
       k.percent_of_peak, k.confirmation_verdict, k.confirmed_latency_ms
FROM run r
JOIN kernel b ON b.id = r.baseline AND b.verdict = 'correct'
JOIN kernel k ON k.verdict = 'correct' AND k.device = b.device AND k.simulated = b.simulated
             AND k.model_version = b.model_version AND k.table_hash = b.table_hash
ORDER BY rank;

-- Figures of one iteration; kernels count where they first appeared.
CREATE VIEW iteration AS
SELECT i.iteration,
       (SELECT count(*) FROM plan p WHERE p.iteration = i.iteration) AS plans,
       (SELECT count(*) FROM attempt a WHERE a.iteration = i.iteration) AS attempts,
       (SELECT coalesce(sum(a.duplicate), 0) FROM attempt a WHERE a.iteration = i.iteration) AS duplicates,
       (SELECT count(k.verdict) FROM kernel k WHERE k.iteration = i.iteration) AS profiled,
       (SELECT count(*) FROM kernel k WHERE k.iteration = i.iteration AND k.verdict = 'correct') AS correct,
       (SELECT min(r.latency_ms) FROM ranking r WHERE r.iteration = i.iteration) AS best_latency,
       (SELECT max(r.speedup) FROM ranking r WHERE r.iteration = i.iteration) AS best_speedup,
       (SELECT min(r.latency_ms) FROM ranking r
         WHERE r.iteration IS NULL OR r.iteration <= i.iteration) AS best_latency_so_far,
       (SELECT count(*) FROM item m WHERE m.iteration = i.iteration) AS memory_added,
       (SELECT count(*) FROM call c WHERE c.iteration = i.iteration AND c.state = 'failed') AS failed_calls,
       (SELECT coalesce(sum(c.prompt_tokens + c.completion_tokens), 0) FROM call c
         WHERE c.iteration = i.iteration) AS tokens,
       (SELECT coalesce(sum(c.usd), 0) FROM call c WHERE c.iteration = i.iteration) AS usd
FROM (SELECT iteration FROM plan UNION SELECT iteration FROM attempt UNION SELECT iteration FROM item
      UNION SELECT iteration FROM call WHERE iteration IS NOT NULL) i
ORDER BY i.iteration;
