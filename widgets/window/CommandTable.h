// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QKeySequence>
#include <QObject>
#include <QString>
#include <functional>
#include <map>
#include <vector>

class QAction;
class QMenuBar;
class QToolBar;
class QWidget;

namespace accelopt::widgets {

class Theme;

/// Pictures on the toolbar; painted in the theme's colours.
enum class Picture { None, Run, Pause, StepItem, StepIteration, Stop };

/// Something a person can have done.
struct Command
{
    QString id;   ///< stable: "run.pause"
    QString menu; ///< title of the menu it stands in
    QString text; ///< with a mnemonic
    QList<QKeySequence> keys;
    QString help; ///< one sentence
    Picture picture = Picture::None;
    std::function<void()> act;
    std::function<QString()> whyNot; ///< empty, or gives an empty text: it can be done now
    std::function<bool()> isOn = {}; ///< for what is on or off
    /// What it says at the moment, for texts that change ("Undo: reject “Load once”").
    std::function<QString()> nowText = {};
    QString otherNames = {}; ///< words of other programs by which people look for it
};

/// All commands of a window; its menus, toolbar and list of keys are made from this table.
class CommandTable : public QObject
{
    Q_OBJECT

public:
    explicit CommandTable(const Theme *theme, QWidget *window);

    /// Commands of one menu stand in the order in which they were added.
    void add(Command command);
    /// A line before the next command of the menu.
    void addSeparator(const QString &menu);
    const std::vector<Command> &commands() const { return m_commands; }
    QAction *action(const QString &id) const;
    /// Does it if it can be done now.
    void perform(const QString &id);

    const std::vector<QString> &menus() const { return m_menuOrder; }
    void fill(QMenuBar *bar) const;
    void fill(QToolBar *bar, const QStringList &ids) const;
    /// Text and keys of every command that has keys, one a line.
    QString keySheet() const;

public slots:
    /// Asks every command again whether it can be done; the reason why not becomes its tooltip.
    void refresh();

private:
    void repaintPictures();
    void paintPicture(const Command &command);

    const Theme *m_theme;
    QWidget *m_window;
    std::vector<Command> m_commands;
    std::map<QString, QAction *> m_actions;
    std::map<QString, std::vector<QString>> m_menus; ///< ids; empty for a separator
    std::vector<QString> m_menuOrder;
};

/// A command's text without the mark of its mnemonic.
QString plainText(const QString &text);

} // namespace accelopt::widgets
