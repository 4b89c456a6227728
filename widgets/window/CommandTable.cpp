// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/window/CommandTable.h"

#include "widgets/theme/Theme.h"

#include <QAction>
#include <QMenu>
#include <QMenuBar>
#include <QPainter>
#include <QPixmap>
#include <QToolBar>

namespace accelopt::widgets {

namespace {

constexpr int kPictureSize = 20;

void drawPicture(QPainter &painter, Picture picture)
{
    const QPolygonF triangle{{5.0, 3.0}, {17.0, 10.0}, {5.0, 17.0}};
    switch (picture) {
    case Picture::None: break;
    case Picture::Run: painter.drawPolygon(triangle); break;
    case Picture::Pause:
        painter.drawRect(QRectF(4.5, 4, 4, 12));
        painter.drawRect(QRectF(11.5, 4, 4, 12));
        break;
    case Picture::StepItem:
        painter.drawPolygon(QPolygonF{{3.0, 4.0}, {12.0, 10.0}, {3.0, 16.0}});
        painter.drawRect(QRectF(13.5, 4, 3, 12));
        break;
    case Picture::StepIteration:
        painter.drawPolygon(QPolygonF{{1.0, 4.0}, {8.0, 10.0}, {1.0, 16.0}});
        painter.drawPolygon(QPolygonF{{8.0, 4.0}, {15.0, 10.0}, {8.0, 16.0}});
        painter.drawRect(QRectF(16, 4, 2.5, 12));
        break;
    case Picture::Stop: painter.drawRect(QRectF(4, 4, 12, 12)); break;
    }
}

QPixmap pixmap(Picture picture, const QColor &color)
{
    // Twice the size in pixels, so that it is sharp on finer screens too.
    QPixmap map(kPictureSize * 2, kPictureSize * 2);
    map.setDevicePixelRatio(2);
    map.fill(Qt::transparent);
    QPainter painter(&map);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    drawPicture(painter, picture);
    return map;
}

} // namespace

QString plainText(const QString &text)
{
    return QString(text).remove(QLatin1Char('&'));
}

CommandTable::CommandTable(const Theme *theme, QWidget *window)
    : QObject(window),
      m_theme(theme),
      m_window(window)
{
    connect(theme, &Theme::changed, this, &CommandTable::repaintPictures);
}

void CommandTable::add(Command command)
{
    auto *action = new QAction(command.text, this);
    action->setObjectName(command.id);
    action->setShortcuts(command.keys);
    action->setShortcutContext(Qt::WindowShortcut);
    action->setStatusTip(command.help);
    action->setCheckable(bool(command.isOn));
    // By id: the table may have grown and moved by then.
    connect(action, &QAction::triggered, this, [this, id = command.id] { perform(id); });
    m_window->addAction(action);
    m_actions.emplace(command.id, action);
    if (!m_menus.contains(command.menu))
        m_menuOrder.push_back(command.menu);
    m_menus[command.menu].push_back(command.id);
    paintPicture(command);
    m_commands.push_back(std::move(command));
}

void CommandTable::addSeparator(const QString &menu)
{
    m_menus[menu].push_back({});
}

QAction *CommandTable::action(const QString &id) const
{
    const auto it = m_actions.find(id);
    return it == m_actions.end() ? nullptr : it->second;
}

void CommandTable::perform(const QString &id)
{
    for (const Command &command : m_commands) {
        if (command.id != id)
            continue;
        if (!command.whyNot || command.whyNot().isEmpty()) {
            const auto act = command.act; // the table may change meanwhile
            act();
        }
        refresh();
        return;
    }
}

void CommandTable::fill(QMenuBar *bar) const
{
    for (const QString &title : m_menuOrder) {
        QMenu *menu = bar->addMenu(title);
        menu->setToolTipsVisible(true);
        for (const QString &id : m_menus.at(title)) {
            if (id.isEmpty())
                menu->addSeparator();
            else
                menu->addAction(action(id));
        }
    }
}

void CommandTable::fill(QToolBar *bar, const QStringList &ids) const
{
    for (const QString &id : ids)
        bar->addAction(action(id));
}

QString CommandTable::keySheet() const
{
    QString sheet;
    for (const Command &command : m_commands) {
        QStringList keys;
        for (const QKeySequence &key : command.keys)
            keys << key.toString(QKeySequence::NativeText);
        if (!keys.isEmpty())
            sheet += plainText(command.text) + QLatin1Char('\t') + keys.join(QStringLiteral(", ")) +
                     QLatin1Char('\n');
    }
    return sheet;
}

void CommandTable::refresh()
{
    for (const Command &command : m_commands) {
        QAction *act = m_actions.at(command.id);
        const QString reason = command.whyNot ? command.whyNot() : QString();
        act->setEnabled(reason.isEmpty());
        if (command.isOn)
            act->setChecked(command.isOn());
        const QString text = command.nowText ? command.nowText() : command.text;
        if (act->text() != text)
            act->setText(text);
        QString tip = plainText(text);
        if (!command.keys.isEmpty())
            tip += QStringLiteral(" (") + command.keys.front().toString(QKeySequence::NativeText) +
                   QLatin1Char(')');
        act->setToolTip(tip + QLatin1Char('\n') + (reason.isEmpty() ? command.help : reason));
    }
}

void CommandTable::repaintPictures()
{
    for (const Command &command : m_commands)
        paintPicture(command);
}

void CommandTable::paintPicture(const Command &command)
{
    if (command.picture == Picture::None)
        return;
    QIcon icon(pixmap(command.picture, m_theme->color(Tone::Text)));
    icon.addPixmap(pixmap(command.picture, m_theme->color(Tone::Line)), QIcon::Disabled);
    m_actions.at(command.id)->setIcon(icon);
}

} // namespace accelopt::widgets
