// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/roofline/RooflineData.h"

#include <QPixmap>
#include <QTimer>
#include <QWidget>
#include <filesystem>
#include <optional>
#include <string>

namespace accelopt::widgets {

class RunDocument;
class SelectionHub;
class Theme;

/// The roofline of the open run, both axes logarithmic: every correct kernel a point, the selected
/// one with an arrow from what it is compared with. Points are chosen by clicking, Ctrl+click
/// chooses what to compare with.
class RooflineView : public QWidget
{
    Q_OBJECT

public:
    /// `programFolder` is where the run's task is looked for.
    RooflineView(RunDocument *document, SelectionHub *hub, const Theme *theme,
                 std::filesystem::path programFolder, QWidget *parent = nullptr);

    const RooflineData &shown() const { return m_data; }
    /// A kernel that is no part of the run, as a diamond of its own; nothing: none.
    void setDraft(const std::optional<Profile> &profile);
    const std::optional<RooflinePoint> &draft() const { return m_draft; }
    /// Where a kernel's point is; nothing when it has none.
    std::optional<QPointF> placeOf(const KernelId &kernel) const;
    QString tipAt(const QPointF &place) const;
    QSize sizeHint() const override { return {320, 240}; }
    QSize minimumSizeHint() const override { return {200, 150}; }

protected:
    void paintEvent(QPaintEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void showEvent(QShowEvent *event) override;
    bool event(QEvent *event) override;

private:
    void onClosed();
    void onUpdated();
    void recompute();
    void loadTask();
    void fitAxes();
    QRectF plot() const;
    QPointF place(double intensity, double flopsPerSecond) const;
    int hitAt(const QPointF &place) const;
    KernelId reference() const;
    void paintBack();
    void paintAxes(QPainter &painter);
    void paintRoof(QPainter &painter);
    void paintPoints(QPainter &painter);
    void paintChosen(QPainter &painter);

    RunDocument *m_document;
    SelectionHub *m_hub;
    const Theme *m_theme;
    std::filesystem::path m_programFolder;
    std::string m_taskName; ///< of the task that was looked for
    std::optional<Task> m_task;
    std::optional<bench::DeviceRoof> m_device;
    QString m_problem;
    RooflineData m_data;
    std::optional<RooflinePoint> m_draft;
    double m_lowX = 0, m_highX = 1, m_lowY = 0, m_highY = 1; ///< decimal logarithms
    QTimer m_wait; ///< many points are not worked out more often than this
    bool m_stale = false;
    QPixmap m_back; ///< all but what is selected; empty when it is to be painted again
};

} // namespace accelopt::widgets
