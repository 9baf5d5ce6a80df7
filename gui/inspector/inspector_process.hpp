// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QObject>
#include <QProcess>

#include "gui/inspector/inspector_state.hpp"

namespace trainyard::gui {

/// A paused simulation that continues on request: `simrun inspect` as a child process. If it crashes, simgui keeps
/// running.
class InspectorProcess : public QObject
{
  Q_OBJECT
public:
  explicit InspectorProcess(QObject* parent = nullptr);
  ~InspectorProcess() override;

  /// Begins with the start of @p text, a scenario; one that was stepped through before is ended.
  /// @p steps: training steps to go through; @p policy: of a queue that compares several, empty: the first;
  /// @p point: number of the sweep's point from 0, below 0: the last.
  void start(const QString& text, const QString& working_folder, int steps = 3, const QString& policy = {},
             int point = -1);
  void stop();
  bool isAlive() const { return process_.state() != QProcess::NotRunning; }
  /// It is computing towards what was asked for.
  bool isBusy() const { return busy_; }
  const InspectorState& state() const { return state_; }
  /// What went wrong last, or which point is stepped through.
  QString message() const { return message_; }
  /// Of a queue, those that can be stepped through.
  const QStringList& policies() const { return policies_; }
  /// Of a sweep, the points that can be stepped through, in words.
  const QStringList& points() const { return points_; }
  /// Which of them it is; below 0: not told yet.
  int point() const { return point_; }

  void step(int instants);
  void runUntil(double seconds);
  void run() { send("{\"do\":\"run\"}\n", true); }
  void pause();

signals:
  void changed();

private:
  void send(const QByteArray& command, bool moves);
  void readLines();

  QProcess process_;
  QByteArray pending_;
  InspectorState state_;
  QString message_;
  QStringList policies_;
  QStringList points_;
  int point_ = -1;
  bool busy_ = false;
  bool stopping_ = false;
};

} // namespace trainyard::gui
