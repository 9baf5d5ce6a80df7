// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QJsonObject>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QTimer>
#include <QVector>

#include <memory>

class QTemporaryDir;

namespace trainyard::gui {

class ScenarioDocument;

/// One message of the checker about the scenario.
struct Problem {
  enum class Severity { error, warning, note };
  Severity severity = Severity::error;
  int line = 0; // from 1; 0 = about no line
  int column = 0;
  QString message;
  QJsonObject said = {}; // the same as a message, where it is one
};

/// Reads what `simrun check --json` prints; lines of other files than @p file are not told.
QVector<Problem> problems_of(const QByteArray& output, const QString& file);

/// Runs `simrun check` on the text after each pause in typing, so that editor and command line report the same.
class Checker : public QObject
{
  Q_OBJECT
public:
  explicit Checker(ScenarioDocument& document, QObject* parent = nullptr);
  ~Checker() override;

  const QVector<Problem>& problems() const { return problems_; }
  bool isBusy() const { return process_.state() != QProcess::NotRunning || timer_.isActive(); }

signals:
  /// The list belongs to the text as it now stands.
  void checked();

private:
  void start();
  void finished();

  ScenarioDocument& document_;
  QTimer timer_;
  QTimer limit_;
  QProcess process_;
  std::unique_ptr<QTemporaryDir> folder_;
  QString checked_file_;
  QVector<Problem> problems_;
  bool again_ = false;
};

} // namespace trainyard::gui
