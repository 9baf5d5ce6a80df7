// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <QVector>
#include <QWidget>

class QCommandLinkButton;
class QGridLayout;
class QLabel;
class QLineEdit;
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
  struct Example {
    QCommandLinkButton* button;
    QString words; // that are searched
  };
  /// A heading and the examples below it.
  struct Part {
    QLabel* heading;
    QGridLayout* grid;
    QVector<Example> examples;
  };

  QLabel* addHeading(const QString& text);
  void addExamples();
  /// The next place of a grid with two columns.
  void addLink(Part& part, const QString& file, const QString& name, const QString& about);

  /// Leaves the examples whose title, question or name has all words.
  void search(const QString& words);

  QVBoxLayout* layout_;
  QLineEdit* search_;
  QLabel* none_;
  QVector<Part> parts_;
};

/// The question of a scenario file, read from its head; empty where it states none.
QString question_of(const QString& file);

} // namespace trainyard::gui
