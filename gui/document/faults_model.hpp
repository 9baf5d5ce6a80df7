// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QAbstractTableModel>
#include <QString>
#include <QVector>

#include "models/scenario/document.hpp"

namespace trainyard::gui {

class ScenarioDocument;

/// A failure that the scenario lists under `faults:`.
struct FaultEntry {
  QString path;  // "faults.0"
  QString what;  // "rack:3"
  QString at;    // as written: "02:00", "600 s"
  QString lasts; // as written; empty: forever
  double at_s = 0;
  double lasts_s = -1;  // below 0: forever
  bool one_text = true; // "rack:3@02:00+6h", else a map with fail, at and lasts
  bool good = true;     // the times can be read
};

/// All listed failures, in the order of the file.
QVector<FaultEntry> faults_of(const Document& document);

/// "02:00", "02:00:30" or a duration such as "90 min" in seconds; below 0 where it is neither.
double fault_time(const QString& text);
/// Shortest clock time "hh:mm[:ss]", from whole seconds.
QString clock_text(double seconds);

/// The listed failures as a sheet: what, when, for how long. Edits go into the text.
class FaultsModel : public QAbstractTableModel
{
  Q_OBJECT
public:
  explicit FaultsModel(ScenarioDocument& document, QObject* parent = nullptr);

  const QVector<FaultEntry>& faults() const { return faults_; }
  /// Adds a failure; @p lasts empty: forever. False where a time cannot be read or the text does not allow it.
  bool add(const QString& what, const QString& at, const QString& lasts);
  bool remove(int row);
  /// Moves a failure in time; moves that follow each other are one step of the undo stack.
  bool move(int row, double seconds);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  bool write(const FaultEntry& entry, const QString& label, int merge = -1);

  ScenarioDocument& document_;
  QVector<FaultEntry> faults_;
};

} // namespace trainyard::gui
