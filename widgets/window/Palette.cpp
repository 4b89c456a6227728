// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/window/Palette.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>

namespace accelopt::widgets {

namespace {

/// More than this nobody reads; typing on narrows it.
constexpr std::size_t kMostEntries = 200;

/// Writes the detail at the right end.
class PaletteDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        const bool selected = option.state.testFlag(QStyle::State_Selected);
        const QPalette::ColorGroup group =
            option.state.testFlag(QStyle::State_Enabled) ? QPalette::Active : QPalette::Disabled;
        painter->setPen(
            option.palette.color(group, selected ? QPalette::HighlightedText : QPalette::Text));
        painter->drawText(option.rect.adjusted(0, 0, -10, 0), Qt::AlignVCenter | Qt::AlignRight,
                          index.data(Qt::UserRole).toString());
    }
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const QSize size = QStyledItemDelegate::sizeHint(option, index);
        return {size.width(), std::max(size.height() + 8, 26)};
    }
};

} // namespace

int paletteScore(const PaletteEntry &entry, const QString &typed)
{
    const QStringList wanted = typed.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const QString text = entry.text.toLower();
    const QString all = text + QLatin1Char(' ') + entry.words.toLower();
    int score = 1;
    for (const QString &word : wanted) {
        if (text.startsWith(word))
            score += 40;
        else if (text.contains(QLatin1Char(' ') + word))
            score += 20;
        else if (text.contains(word))
            score += 8;
        else if (all.contains(QLatin1Char(' ') + word))
            score += 4;
        else if (all.contains(word))
            score += 1;
        else
            return 0;
    }
    return score;
}

Palette::Palette(const QString &placeholder, std::vector<PaletteEntry> entries, QWidget *parent)
    : QDialog(parent),
      m_entries(std::move(entries)),
      m_field(new QLineEdit),
      m_list(new QListWidget),
      m_count(new QLabel)
{
    setObjectName(QStringLiteral("palette"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(placeholder);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    m_field->setObjectName(QStringLiteral("paletteField"));
    m_field->setPlaceholderText(placeholder);
    m_field->setAccessibleName(placeholder);
    m_field->installEventFilter(this);
    column->addWidget(m_field);
    m_list->setObjectName(QStringLiteral("paletteList"));
    m_list->setAccessibleName(tr("What fits"));
    m_list->setItemDelegate(new PaletteDelegate(m_list));
    m_list->setUniformItemSizes(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setFocusPolicy(Qt::NoFocus); // the field keeps it; its arrow keys move here
    column->addWidget(m_list, 1);
    column->addWidget(m_count);
    connect(m_field, &QLineEdit::textChanged, this, &Palette::refill);
    connect(m_list, &QListWidget::itemClicked, this, &Palette::choose);
    resize(640, 440);
    if (parent != nullptr)
        move(parent->mapToGlobal(QPoint((parent->width() - width()) / 2, 60)));
    refill();
}

void Palette::refill()
{
    const QString typed = m_field->text();
    std::vector<std::pair<int, std::size_t>> fits;
    for (std::size_t i = 0; i < m_entries.size(); ++i)
        if (const int score = paletteScore(m_entries[i], typed); score > 0)
            fits.emplace_back(-score, i);
    std::stable_sort(fits.begin(), fits.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
    const std::size_t found = fits.size();
    fits.resize(std::min(fits.size(), kMostEntries));
    m_list->clear();
    m_shown.clear();
    for (const auto &[score, place] : fits) {
        const PaletteEntry &entry = m_entries[place];
        auto *item = new QListWidgetItem(entry.text, m_list);
        item->setData(Qt::UserRole, entry.detail);
        item->setToolTip(entry.whyNot);
        if (!entry.whyNot.isEmpty())
            item->setFlags(Qt::ItemIsSelectable);
        m_shown.push_back(place);
    }
    m_list->setCurrentRow(m_shown.empty() ? -1 : 0);
    m_count->setText(m_shown.empty() ? tr("Nothing fits; type less.")
                                     : tr("%n found", nullptr, int(found)));
}

QStringList Palette::shown() const
{
    QStringList texts;
    for (const std::size_t place : m_shown)
        texts << m_entries[place].text;
    return texts;
}

void Palette::choose()
{
    const int row = m_list->currentRow();
    if (row < 0 || row >= int(m_shown.size()))
        return;
    const PaletteEntry &entry = m_entries[m_shown[std::size_t(row)]];
    if (!entry.whyNot.isEmpty()) {
        m_count->setText(entry.whyNot);
        return;
    }
    const std::function<void()> act = entry.act;
    accept();
    act();
}

bool Palette::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        switch (static_cast<QKeyEvent *>(event)->key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_PageUp:
        case Qt::Key_PageDown: {
            const int key = static_cast<QKeyEvent *>(event)->key();
            const int step = key == Qt::Key_Up       ? -1
                             : key == Qt::Key_Down   ? 1
                             : key == Qt::Key_PageUp ? -10
                                                     : 10;
            if (m_list->count() > 0)
                m_list->setCurrentRow(
                    std::clamp(m_list->currentRow() + step, 0, m_list->count() - 1));
            return true;
        }
        case Qt::Key_Return:
        case Qt::Key_Enter: choose(); return true;
        default: break;
        }
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace accelopt::widgets
