// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Event.h"
#include "core/search/State.h"

#include <QObject>
#include <QString>
#include <QTimer>
#include <vector>

namespace accelopt::widgets {

class RunDocument;
class SearchDriver;

/// What a person decides on the open run, with undo. A decision is written to the run before
/// anything on screen changes; an undo is a decision of its own, so that the log keeps both.
class DecisionDesk : public QObject
{
    Q_OBJECT

public:
    DecisionDesk(RunDocument *document, SearchDriver *driver, QObject *parent = nullptr);

    /// Why nothing can be decided on the open run at the moment; empty when it can.
    QString whyNot() const;

    /// The writer that the run's file may show at the moment is this desk, not another process.
    bool isWriting() const { return m_writing.isActive(); }

    /// `words` say it for people: "reject “Load once”".
    void decide(const PersonDecided &decision, const QString &words);
    /// Several decisions, together or not at all.
    void decide(const std::vector<PersonDecided> &decisions, const QString &words);
    /// Other events of a person's, which cannot be taken back.
    void record(const std::vector<EventBody> &bodies, const std::vector<Text> &texts);

    /// Empty when there is nothing to undo.
    QString undoWords() const;
    QString redoWords() const;
    void undo();
    void redo();

signals:
    /// What can be undone or decided changed.
    void changed();
    /// The run did not take it; the sentence says why.
    void refused(const QString &sentence);

private:
    struct Step
    {
        QString words;
        std::vector<PersonDecided> done;
        std::vector<PersonDecided> back; ///< what takes it back
        quint64 ticket = 0;
    };
    /// Into the file, rather than through whoever drives the run.
    bool writesItself() const;
    quint64 send(const std::vector<PersonDecided> &decisions);
    void forget();

    RunDocument *m_document;
    SearchDriver *m_driver;
    std::vector<Step> m_steps;
    std::size_t m_taken = 0; ///< steps before this place are in force
    quint64 m_ticket = 0;
    QTimer m_writing; ///< runs as long as the file may still show our own lock
};

/// The decisions that restore what `decision` changes in this state; empty when nothing does.
std::vector<PersonDecided> takingBack(const search::State &state, const PersonDecided &decision);

} // namespace accelopt::widgets
