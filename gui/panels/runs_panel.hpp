// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QWidget>

class QPushButton;
class QTableView;

namespace trainyard::gui {

class RunQueue;

/// The runs of now and before: open their results, name them, note words about them, compare others with one, run them
/// again, delete them.
class RunsPanel : public QWidget
{
  Q_OBJECT
public:
  explicit RunsPanel(RunQueue& queue, QWidget* parent = nullptr);
  QTableView* table() { return table_; }

signals:
  void openRequested(const QString& folder);
  /// Why a run failed, and other words about it.
  void told(const QString& name, const QString& words);

private:
  QPushButton* addButton(const QString& name, const QString& text, const QString& about);
  void openRow(int row);
  void removeRow(int row);
  void showState();
  int row() const;

  RunQueue& queue_;
  QTableView* table_;
  QPushButton* open_;
  QPushButton* rename_;
  QPushButton* remark_;
  QPushButton* pin_;
  QPushButton* again_;
  QPushButton* remove_;
};

} // namespace trainyard::gui
