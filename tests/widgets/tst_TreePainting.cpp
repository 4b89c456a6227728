// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tree/KernelTreeCanvas.h"

#include "tests/support/TestMain.h"
#include "tests/widgets/HandMadeRun.h"
#include "widgets/run/RunDocument.h"
#include "widgets/theme/Theme.h"
#include "widgets/window/SelectionHub.h"

#include <QImage>
#include <QScrollBar>
#include <QTemporaryDir>
#include <memory>

using namespace accelopt;
using namespace accelopt::widgets;

/// What is painted piece by piece, while one scrolls and the run grows, is what is painted at once.
class tst_TreePainting : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void scrolledPiecesAreTheWholePicture_data();
    void scrolledPiecesAreTheWholePicture();
    void aGrowingRunIsPaintedWhereItGrew();
    void aFilterMakesFaintWhatDoesNotFit();

private:
    QImage picture() { return m_tree->viewport()->grab().toImage(); }
    /// The same, with nothing kept from before.
    QImage paintedAnew()
    {
        m_tree->setFilter(m_tree->filter());
        return picture();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<RunDocument> m_document;
    std::unique_ptr<SelectionHub> m_hub;
    std::unique_ptr<KernelTreeCanvas> m_tree;
};

void tst_TreePainting::init()
{
    m_tree.reset();
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    m_theme = std::make_unique<Theme>(ThemeKind::Light);
    m_document = std::make_unique<RunDocument>();
    m_hub = std::make_unique<SelectionHub>();
    m_tree = std::make_unique<KernelTreeCanvas>(m_document.get(), m_hub.get(), m_theme.get());
    m_tree->resize(420, 300);
    m_tree->show();
}

void tst_TreePainting::scrolledPiecesAreTheWholePicture_data()
{
    QTest::addColumn<double>("zoom");
    QTest::addColumn<int>("across");
    QTest::addColumn<int>("down");
    QTest::newRow("to the left") << 1.6 << -7 << 0;
    QTest::newRow("down") << 2.4 << 0 << 5;
    QTest::newRow("up and to the right") << 2.4 << 3 << -4;
    QTest::newRow("farther than what is in sight") << 2.4 << 400 << 0;
    QTest::newRow("where there are no words") << 0.4 << 1 << 0;
}

void tst_TreePainting::scrolledPiecesAreTheWholePicture()
{
    QFETCH(const double, zoom);
    QFETCH(const int, across);
    QFETCH(const int, down);
    const QString path = m_folder->filePath(QStringLiteral("run.accelopt"));
    const auto run = tests::writeHandMadeRun(path.toStdString());
    ACCELOPT_VERIFY_OK(run);
    m_document->open(path);
    QTRY_VERIFY(m_tree->treeLayout().nodes().size() == 3);
    m_hub->setCurrent(run->faster);
    m_tree->resetZoom();
    m_tree->zoomBy(zoom);
    QScrollBar *horizontal = m_tree->horizontalScrollBar();
    QScrollBar *vertical = m_tree->verticalScrollBar();
    horizontal->setValue((horizontal->minimum() + horizontal->maximum()) / 2);
    vertical->setValue((vertical->minimum() + vertical->maximum()) / 2);
    picture();
    for (int step = 0; step < 8; ++step) {
        horizontal->setValue(horizontal->value() + across);
        vertical->setValue(vertical->value() + down);
    }
    const QImage pieces = picture();
    QCOMPARE(pieces, paintedAnew());
}

void tst_TreePainting::aGrowingRunIsPaintedWhereItGrew()
{
    const QString path = m_folder->filePath(QStringLiteral("live.accelopt"));
    const tests::RunParts parts = tests::handMadeRun();
    auto writer = store::RunFile::create(path.toStdString());
    ACCELOPT_VERIFY_OK(writer);
    ACCELOPT_VERIFY_OK(tests::appendTo(*writer, parts.first, parts.texts));
    m_document->open(path);
    QTRY_COMPARE(m_tree->treeLayout().nodes().size(), std::size_t(1));
    QTRY_VERIFY(m_document->writer().written);
    picture();
    for (const EventBody &body : parts.rest) {
        const std::int64_t before = m_document->state().lastSequence;
        ACCELOPT_VERIFY_OK(tests::appendTo(*writer, {body}, {}));
        QTRY_VERIFY(m_document->state().lastSequence > before);
        const QImage pieces = picture();
        QCOMPARE(pieces, paintedAnew());
    }
    QCOMPARE(m_tree->treeLayout().nodes().size(), std::size_t(3));
    ACCELOPT_VERIFY_OK(writer->close());
}

void tst_TreePainting::aFilterMakesFaintWhatDoesNotFit()
{
    const QString path = m_folder->filePath(QStringLiteral("run.accelopt"));
    const auto run = tests::writeHandMadeRun(path.toStdString());
    ACCELOPT_VERIFY_OK(run);
    m_document->open(path);
    QTRY_VERIFY(m_tree->treeLayout().nodes().size() == 3);
    QCOMPARE(m_tree->fitting(), 3);
    const QPoint inBaseline = m_tree->placeOf(run->baseline).center().toPoint() + QPoint(0, 12);
    const QImage before = picture();
    m_tree->setFilter({FilterChip::Faster});
    QCOMPARE(m_tree->fitting(), 2);
    QVERIFY(before != picture());
    QVERIFY(before.rect().contains(inBaseline));
    m_tree->setFilter({});
    QCOMPARE(picture(), before);
}

ACCELOPT_TEST(tst_TreePainting)
#include "tst_TreePainting.moc"
