-- SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
-- SPDX-License-Identifier: GPL-3.0-or-later
--
-- The truth of a run file, form 1 (PRAGMA user_version). A file is accepted only if it holds exactly these
-- objects, so what stands here never changes: another form is another schema-N.sql.
--
-- event: what came back from the world, in order. text: the long texts that events name, by the SHA-256 of
-- their bytes; codec is 'zstd' or 'raw', size is the number of bytes before compression.

CREATE TABLE event (
    seq     INTEGER PRIMARY KEY CHECK (seq > 0),
    time    REAL NOT NULL,
    actor   TEXT NOT NULL,
    kind    TEXT NOT NULL,
    subject TEXT NOT NULL,
    version INTEGER NOT NULL,
    payload TEXT NOT NULL
);

CREATE TABLE text (
    id    TEXT NOT NULL UNIQUE CHECK (length(id) = 64),
    codec TEXT NOT NULL,
    size  INTEGER NOT NULL,
    bytes BLOB NOT NULL
);

CREATE TRIGGER event_has_no_gaps BEFORE INSERT ON event
WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM event)
BEGIN
    SELECT raise(ABORT, 'events are numbered from 1 without gaps');
END;

CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event
BEGIN
    SELECT raise(ABORT, 'events are never changed');
END;

CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event
BEGIN
    SELECT raise(ABORT, 'events are never deleted');
END;

CREATE TRIGGER text_is_never_replaced BEFORE INSERT ON text
WHEN EXISTS (SELECT 1 FROM text WHERE id = NEW.id)
BEGIN
    SELECT raise(ABORT, 'texts are never replaced');
END;

CREATE TRIGGER text_is_never_changed BEFORE UPDATE ON text
BEGIN
    SELECT raise(ABORT, 'texts are never changed');
END;

CREATE TRIGGER text_is_never_deleted BEFORE DELETE ON text
BEGIN
    SELECT raise(ABORT, 'texts are never deleted');
END;
