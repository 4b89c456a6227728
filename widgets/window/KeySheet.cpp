// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/window/KeySheet.h"

#include "widgets/window/CommandTable.h"

#include <QDialogButtonBox>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace accelopt::widgets {

KeySheet::KeySheet(const CommandTable &commands, QWidget *parent) : QDialog(parent)
{
    setObjectName(QStringLiteral("keySheet"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Keys"));
    const auto row = [](const QString &name, const QString &keys, const QString &help) {
        return QStringLiteral("<tr><td style='padding:1px 18px 1px 0'>%1</td>"
                              "<td style='padding:1px 18px 1px 0'><b>%2</b></td>"
                              "<td style='padding:1px 0'>%3</td></tr>")
            .arg(name.toHtmlEscaped(), keys.toHtmlEscaped(), help.toHtmlEscaped());
    };
    QString html;
    for (const QString &menu : commands.menus()) {
        QString rows;
        for (const Command &command : commands.commands()) {
            if (command.menu != menu)
                continue;
            QStringList keys;
            for (const QKeySequence &key : command.keys)
                keys << key.toString(QKeySequence::NativeText);
            rows += row(plainText(command.text),
                        keys.isEmpty() ? QStringLiteral("–") : keys.join(QStringLiteral(", ")),
                        command.help);
        }
        html += QStringLiteral("<h3 style='margin:10px 0 2px 0'>%1</h3><table>%2</table>")
                    .arg(plainText(menu).toHtmlEscaped(), rows);
    }
    html += QStringLiteral("<h3 style='margin:10px 0 2px 0'>%1</h3><table>%2</table>")
                .arg(tr("In the tree").toHtmlEscaped(),
                     row(tr("Parent, best child"), tr("Left, Right"),
                         tr("Walk along the lines of descent")) +
                         row(tr("Neighbours"), tr("Up, Down"), tr("Within the column")) +
                         row(tr("Baseline, best"), tr("Home, End"), tr("First and best kernel")) +
                         row(tr("Zoom"), tr("Ctrl+wheel"), tr("Around the pointer")) +
                         row(tr("Compare with"), tr("Ctrl+click"),
                             tr("The kernel that the selected one is compared with")));
    auto *column = new QVBoxLayout(this);
    auto *text = new QTextBrowser;
    text->setObjectName(QStringLiteral("keySheetText"));
    text->setOpenLinks(false);
    text->setFrameShape(QFrame::NoFrame);
    text->setHtml(html);
    column->addWidget(text);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(buttons);
    resize(760, 640);
}

} // namespace accelopt::widgets
