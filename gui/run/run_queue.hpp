// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QAbstractTableModel>
#include <QDateTime>
#include <QString>
#include <QVector>
#include <memory>

#include "gui/run/run_process.hpp"

namespace trainyard::gui {

/// One run that was asked for.
struct QueuedRun {
  enum class State { waiting, running, done, failed, cancelled };
  int number = 0;
  QString name;
  QString scenario_file; // the copy that is run
  QString folder;        // of the results
  QString working_folder;
  QStringList overrides;
  QStringList plan; // what follows `simrun plan SCENARIO`; empty: a run
  QString identity; // of the scenario, as its document has it; empty: unknown
  State state = State::waiting;
  int done = 0;
  int total = 0;
  double left_s = 0;
  double elapsed_s = 0;
  QString message;
  QDateTime when; // it was asked for
  QString remark; // the user's words about it
  bool baseline = false;
};

/// Runs one after the other; also the table of the Runs panel. Each run leaves a note beside its results, from which
/// the next start of the program knows it.
class RunQueue : public QAbstractTableModel
{
  Q_OBJECT
public:
  explicit RunQueue(QObject* parent = nullptr);
  ~RunQueue() override;

  /// Runs that are added from now on are of this scenario.
  void setIdentity(const QString& identity) { identity_ = identity; }
  /// Adds a run of @p text; results go below the state folder, or to @p folder where that is not empty. Returns its
  /// number.
  int add(const QString& name, const QString& text, const QString& working_folder, const QStringList& overrides = {},
          const QString& folder = {});
  /// Adds a search for the best design: `simrun plan` with these goals and knobs. Returns its number.
  int addPlan(const QString& name, const QString& text, const QString& working_folder, const QStringList& plan);
  /// The runs of earlier starts, from their notes; before the first run of this one.
  void restore();
  /// The same scenario with the same settings, as a further run. Returns its number; 0: the copy is gone.
  int rerun(int row);
  /// Forgets a run that does not run, and deletes what it left in the state folder.
  void remove(int row);
  /// Others are compared with this run until another one is pinned; the same again: with none.
  void pin(int row);
  /// The folder of the pinned run; empty: none.
  QString baseline() const;
  void cancel(int row);
  void cancelAll();
  const QVector<QueuedRun>& runs() const { return runs_; }
  bool isRunning() const { return current_ >= 0; }
  RunProcess& process() { return process_; }
  const QueuedRun* current() const { return current_ < 0 ? nullptr : &runs_[current_]; }

  static constexpr int name_column = 1;
  static constexpr int remark_column = 5;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

signals:
  void started(int row);
  void progressed(int row);
  /// A result line of the running simulation, for live charts.
  void eventReceived(int row, const QJsonObject& event);
  void ended(int row);
  void baselineChanged(const QString& folder);

private:
  int add(QueuedRun run, const QString& text, const QString& folder);
  void next();
  void changed(int row);
  void note(const QueuedRun& run) const;

  QVector<QueuedRun> runs_;
  RunProcess process_;
  QString identity_;
  int current_ = -1;
};

/// Of which scenario a run in the state folder was, as its note says; empty where there is none.
QString identity_of_run(const QString& folder);

} // namespace trainyard::gui
