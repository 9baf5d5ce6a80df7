// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QWidget>

class QGridLayout;
class QVBoxLayout;

namespace trainyard::gui {

class Session;

/// The first page: example scenarios with their questions, recent files, open and import.
class WelcomePage : public QWidget
{
  Q_OBJECT
public:
  explicit WelcomePage(Session& session, QWidget* parent = nullptr);

signals:
  void fileChosen(const QString& file);
  void exampleChosen(const QString& file);
  void openRequested();
  void importRequested();
  void newRequested();

private:
  void addHeading(const QString& text);
  void addExamples();
  /// The next place of a grid with two columns.
  void addLink(QGridLayout& grid, const QString& file, const QString& name, const QString& about);

  QVBoxLayout* layout_;
};

/// The question of a scenario file, read from its head; empty where it states none.
QString question_of(const QString& file);

} // namespace trainyard::gui
