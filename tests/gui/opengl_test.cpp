// SPDX-License-Identifier: Apache-2.0
/// The engine inspector drawn by OpenGL: under Xvfb with Mesa's llvmpipe, at the scale of QT_SCALE_FACTOR.
#include "gui/core/places.hpp"
#include "gui/core/theme.hpp"
#include "gui/document/scenario_document.hpp"
#include "gui/inspector/inspector_process.hpp"
#include "gui/inspector/inspector_widget.hpp"

#include <QApplication>
#include <QFontMetricsF>
#include <QOpenGLWidget>
#include <QPainter>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>

using namespace trainyard::gui;

namespace {

const QString scenario =
    QStringLiteral("cluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 1}, s: {cpu_cores: 8}}\n"
                   "  nodes: [{name: w, type: w, count: 2}, {name: s, type: s, count: 1}]\n  network: {link: 25GbE}\n"
                   "jobs:\n  - {name: train, model: resnet50, batch_per_gpu: 32, workers: 2, training: {mode: "
                   "parameter_server, servers: 1}}\n");

int difference(QRgb a, QRgb b)
{
  return std::max({std::abs(qRed(a) - qRed(b)), std::abs(qGreen(a) - qGreen(b)), std::abs(qBlue(a) - qBlue(b))});
}

/// The pixels that @p letter covers, as Qt draws them at the scale of the screen: black on white.
QImage drawn_by_qt(QChar letter, const QFont& font, double scale)
{
  const QFontMetricsF metrics{font};
  const int height = static_cast<int>(std::ceil(metrics.height() * scale));
  const int width = static_cast<int>(std::lround(metrics.horizontalAdvance(letter) * scale));
  QImage image{width + 40, height, QImage::Format_Grayscale8};
  image.fill(Qt::white);
  image.setDevicePixelRatio(scale);
  QPainter painter{&image};
  painter.setFont(font);
  painter.setPen(Qt::black);
  painter.drawText(QPointF{20 / scale, std::round(metrics.ascent() * scale) / scale}, QString{letter});
  painter.end();
  QRect inked;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      if (image.constScanLine(y)[x] < 250)
        inked |= QRect{x, y, 1, 1};
  image.setDevicePixelRatio(1);
  return image.copy(inked);
}

/// Whether @p part is somewhere in @p whole, pixel by pixel; black text on white in both.
bool holds(const QImage& whole, const QImage& part)
{
  const auto at = [&](int left, int top) {
    for (int y = 0; y < part.height(); ++y)
      for (int x = 0; x < part.width(); ++x)
        if (std::abs(whole.constScanLine(top + y)[left + x] - part.constScanLine(y)[x]) > 6)
          return false;
    return true;
  };
  for (int top = 0; top + part.height() <= whole.height(); ++top)
    for (int left = 0; left + part.width() <= whole.width(); ++left)
      if (at(left, top))
        return true;
  return false;
}

} // namespace

class OpenGlTest : public QObject
{
  Q_OBJECT

private slots:
  void initTestCase()
  {
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setApplicationName(QStringLiteral("simgui-opengl"));
    auto& app = *qobject_cast<QApplication*>(QCoreApplication::instance());
    apply_theme(app, Theme::light);
    QPalette plain = QApplication::palette();
    plain.setColor(QPalette::Base, Qt::white);
    plain.setColor(QPalette::Text, Qt::black);
    QApplication::setPalette(plain);
    QVERIFY2(!simrun_program().isEmpty(), "simrun was not found");
    document_.openText(scenario, QStringLiteral("opengl.yaml"), folder_.path());
    if (!opengl_widgets_work())
      QSKIP("no context of OpenGL can be made here: xvfb or libgl1-mesa-dri is not installed");
    panel_.reset(make_inspector(process_, document_, nullptr));
    if (!panel_)
      QSKIP("part gui: built without Dear ImGui");
    QVERIFY(qobject_cast<QOpenGLWidget*>(panel_.get()) != nullptr);
    qputenv("TRAINYARD_NO_OPENGL", "1");
    fallback_.reset(make_inspector(process_, document_, nullptr));
    QVERIFY(qobject_cast<QOpenGLWidget*>(fallback_.get()) == nullptr);
    for (QWidget* each : {panel_.get(), fallback_.get()}) {
      each->resize(900, 360);
      each->show();
      QVERIFY(QTest::qWaitForWindowExposed(each));
    }
    QTest::qWait(150);
  }

  void cleanupTestCase()
  {
    panel_.reset();
    fallback_.reset();
  }

  void aShortClickArrives()
  {
    QTest::mouseClick(panel_.get(), Qt::LeftButton, {}, {20, 18}); // "Start"; no frame is drawn in between
    QTRY_VERIFY_WITH_TIMEOUT(process_.isAlive() && !process_.isBusy(), 20'000);
    QEvent away{QEvent::Leave}; // the button under the pointer has another colour
    QCoreApplication::sendEvent(panel_.get(), &away);
    process_.runUntil(0.02);
    QTRY_VERIFY_WITH_TIMEOUT(!process_.isBusy(), 20'000);
  }

  void bothDrawTheSame()
  {
    QVERIFY(process_.isAlive());
    QTest::qWait(150);
    const QImage by_opengl = panel_->grab().toImage().convertToFormat(QImage::Format_RGB32);
    const QImage by_qt = fallback_->grab().toImage().convertToFormat(QImage::Format_RGB32);
    const QSize pixels = (QSizeF{900, 360} * panel_->devicePixelRatioF()).toSize();
    QCOMPARE(by_opengl.size(), pixels);
    QCOMPARE(by_qt.size(), pixels);
    if (const QString to = qEnvironmentVariable("INSPECTOR_PICTURE"); !to.isEmpty()) {
      by_opengl.save(to + QStringLiteral("-opengl.png"));
      by_qt.save(to + QStringLiteral("-qt.png"));
    }
    int drawn = 0;
    int others = 0;
    for (int y = 0; y < pixels.height(); ++y)
      for (int x = 0; x < pixels.width(); ++x) {
        drawn += difference(by_opengl.pixel(x, y), qRgb(255, 255, 255)) > 32 ? 1 : 0;
        others += difference(by_opengl.pixel(x, y), by_qt.pixel(x, y)) > 12 ? 1 : 0;
      }
    QVERIFY2(drawn > 5000, qPrintable(QString::number(drawn)));
    // The arrows of lists and headers have edges across the pixels, which the two may give to different ones.
    QVERIFY2(others < drawn / 200, qPrintable(QStringLiteral("%1 of %2").arg(others).arg(drawn)));
  }

  void lettersHaveThePixelsThatQtGivesThem()
  {
    // A letter that is blown up, or that begins between two pixels, is another one than Qt's.
    const double scale = panel_->devicePixelRatioF();
    QFont font = QApplication::font();
    font.setPointSizeF(font.pointSizeF() * 0.95);
    for (QWidget* each : {panel_.get(), fallback_.get()}) {
      const QImage seen = each->grab().toImage().convertToFormat(QImage::Format_Grayscale8);
      for (const QChar letter : QStringLiteral("Linsue"))
        QVERIFY2(holds(seen, drawn_by_qt(letter, font, scale)),
                 qPrintable(QStringLiteral("%1 by %2").arg(letter).arg(each == panel_.get() ? "OpenGL" : "Qt")));
    }
  }

  void itMovesToAnotherWindow()
  {
    const QImage before = panel_->grab().toImage();
    QWidget window;
    window.resize(900, 360);
    panel_->setParent(&window);
    window.show();
    panel_->show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QTest::qWait(150);
    const QImage after = panel_->grab().toImage();
    QCOMPARE(after.size(), before.size());
    int others = 0;
    for (int y = 0; y < after.height(); ++y)
      for (int x = 0; x < after.width(); ++x)
        others += difference(before.pixel(x, y), after.pixel(x, y)) > 12 ? 1 : 0;
    QVERIFY2(others < 500, qPrintable(QString::number(others)));
    panel_->setParent(nullptr);
  }

private:
  ScenarioDocument document_;
  InspectorProcess process_;
  QTemporaryDir folder_;
  std::unique_ptr<QWidget> panel_;
  std::unique_ptr<QWidget> fallback_;
};

QTEST_MAIN(OpenGlTest)
#include "opengl_test.moc"
