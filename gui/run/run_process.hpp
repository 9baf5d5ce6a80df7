// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QElapsedTimer>
#include <QJsonObject>
#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTimer>

namespace trainyard::gui {

/// One simulation in a child process: progress as it comes, cancelling within 200 ms, a crash that does not affect
/// simgui.
class RunProcess : public QObject
{
  Q_OBJECT
public:
  enum class State { idle, running, done, failed, cancelled };

  explicit RunProcess(QObject* parent = nullptr);
  ~RunProcess() override;

  /// Runs `simrun ARGUMENTS`.
  void start(const QStringList& arguments, const QString& working_folder);
  void cancel();
  /// How long it may print nothing and use no processor before it counts as hanging and is stopped; 0: forever.
  void setSilenceLimit(int milliseconds) { silence_limit_ms_ = milliseconds; }
  qint64 processId() const { return process_.processId(); }
  State state() const { return state_; }
  QString output() const { return QString::fromUtf8(output_); }
  /// What it wrote to stderr apart from progress; of a failed run, the reason.
  QString messages() const { return messages_; }
  double elapsedSeconds() const { return static_cast<double>(clock_.elapsed()) / 1000.0; }

signals:
  void progressed(int done, int total, double left_s, const QString& point);
  /// Any other event line of the stream.
  void eventReceived(const QJsonObject& event);
  void finished();

private:
  void readErrors();
  void ended();
  void conclude(State state);

  void lookForLife();

  QProcess process_;
  QTimer kill_timer_;
  QTimer life_timer_;
  QElapsedTimer silent_;
  qint64 processor_ticks_ = 0;
  int silence_limit_ms_ = 60'000;
  bool hung_ = false;
  QElapsedTimer clock_;
  QByteArray output_;
  QByteArray pending_;
  QString messages_;
  State state_ = State::idle;
  bool cancelling_ = false;
};

} // namespace trainyard::gui
