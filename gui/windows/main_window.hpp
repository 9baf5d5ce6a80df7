// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QMainWindow>
#include <QTimer>

#include "gui/windows/session.hpp"

#include <optional>

class QDockWidget;
class QLabel;
class QListWidget;
class QProgressBar;
class QStackedWidget;
class QTabWidget;
class QFileSystemWatcher;
class QToolButton;
class QTreeWidget;

namespace trainyard::gui {

class CompareView;
class ExplanationPage;
class FaultsView;
class FindBar;
class ImportReportView;
class InfoBar;
class InspectorProcess;
class LoadScrubber;
class ProblemsPanel;
class ResultsView;
class RulesView;
class RunsPanel;
class SchemaForm;
class TopologyScene;
class TopologyView;
class WhatIfPanel;
class WorkloadView;
class YamlEditor;

/// The window: text on the left, canvas and results in the middle, properties on the right, problems, runs and sliders
/// below.
class MainWindow : public QMainWindow
{
  Q_OBJECT
public:
  explicit MainWindow(Session& session);
  ~MainWindow() override;

  enum Page { cluster_page, workload_page, rules_page, results_page, compare_page };

  bool openFile(const QString& file);
  void openExample(const QString& file);
  void openResults(const QString& folder);
  void importFile(const QString& file) { importFiles({file}); }
  /// Files of one cluster, or folders with them, become one scenario, which has the name of the first.
  void importFiles(const QStringList& files);
  /// What a file dropped onto the window is for: a scenario and results are opened, anything else is imported.
  void openOrImport(const QString& file);
  void run();
  /// Asks for goals and what may be chosen, and lets simrun look for the best design.
  void plan();
  void showWelcome();
  void showPage(Page page);
  /// The page that is shown; -1: the welcome page.
  int page() const;
  /// Opens a panel; one at the bottom takes the place of the one that is open there.
  void openDock(const QString& name);

  TopologyScene* scene() { return scene_; }
  TopologyView* canvas() { return canvas_; }
  YamlEditor* editor() { return editor_; }
  ResultsView* resultsView() { return results_; }
  CompareView* compareView() { return compare_; }
  WhatIfPanel* whatIf() { return what_if_; }
  WorkloadView* workload() { return workload_; }
  RulesView* rules() { return rules_; }
  FaultsView* faults();
  ImportReportView* importReport() { return import_report_; }
  InfoBar* info() { return info_; }
  LoadScrubber* scrubber() { return scrubber_; }
  InspectorProcess* inspector() { return inspector_; }
  QString explanation() const;
  /// Writes what is shown (chart, canvas, timeline) to a PNG, SVG or PDF file.
  bool exportTo(const QString& file, QString* error);
  /// Lets simrun write a report of the results that are shown, as HTML or PDF.
  /// Of the runs that are compared, where they are shown; else of the results.
  void writeReport(const QString& file);
  /// The formats of other tools: what simrun calls them, and the words and file endings for a dialog.
  static QVector<QPair<QString, QString>> exportFormats();
  /// Writes the results or the scenario in such a format; of some, @p file is a folder.
  void exportAs(const QString& format, const QString& file);
  /// Lets simrun predict the rows of a table of measurements; @p map turns them into scenarios.
  void score(const QString& table, const QString& map);
  /// Shows the ways to divide the scenario's transformer.
  void showLayouts();
  QAction* action(const QString& name) const;
  QDockWidget* dock(const QString& name) const;

signals:
  /// Another language or theme was chosen: build the window again.
  void remakeRequested();

protected:
  void closeEvent(QCloseEvent* event) override;
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

private:
  /// Pages differ in what they need beside them; what the user opens or closes is kept for each.
  enum class Arrangement { none = -1, welcome, design, forms, reading };
  static Arrangement arrangementOf(int page);
  static QStringList usualDocks(Arrangement which);
  QStringList openDocks() const;
  void arrange(Arrangement which);
  void sizeDocks();
  void makeBottomBar();
  void keepLayout();
  void focusNextPart();
  void splitColumn();
  void restoreLayout();
  void makeActions();
  QDockWidget* makeDock(const QString& name, const QString& title, QWidget* content, Qt::DockWidgetArea area);
  void makeDocks();
  void makeBottomDocks();
  void makeFileActions(QMenu* file);
  void makeToolBar();
  void makeCanvasActions(QMenu* menu);
  void makeViewActions(QMenu* view);
  void makeHelpActions(QMenu* help);
  void connectDocument();
  void connectRuns();
  void connectResults();
  /// A run has ended: the page changes to its results where nobody works elsewhere.
  void showRun();
  void compareResults();
  void tellEnd(const QueuedRun& run);
  /// Whether a scenario is open; else says how to open one.
  bool isOpen();
  /// The pinned run of an earlier start, as soon as there is something to compare with it.
  void loadBaseline();
  void watchFile();
  void retitle();
  void showOutline();
  void showKeys();
  void showProblems();
  void fileTouched();
  static QStringList explain_arguments(const ResultsData& results, const QString& kind, const QString& name,
                                       const QString& point);
  void showExplanation(const Telling& told);
  bool save();
  bool saveAs();
  bool mayForget();
  void exportPicture();
  void exportReport();
  void writeReportOf(const QString& folder, const QString& file);
  void chooseExport();
  void chooseScore();
  /// Runs one point of a sweep again, for its timeline and the loads of its links over time.
  void simulatePoint(const Results& results, const QString& point);
  /// A long command of simrun: its progress, a way to stop it, and what is done with what it wrote.
  void runStudy(const QStringList& arguments, const QString& folder, const QString& message,
                const std::function<void(const RunProcess&)>& done);
  /// Lets simrun say which inputs change the answer most.
  void studySensitivity();
  /// Divides the first job as a word of the field has it.
  void divideJob(const QString& key, const QString& words);
  void explain(const QString& kind, const QString& name, const QString& point);
  void tell(const QString& message);
  void offerRecovery();
  QAction* add(QMenu* menu, QAnyStringView name, const QString& text, const QKeySequence& keys,
               const std::function<void()>& run);

  Session& session_;
  QStackedWidget* pages_;
  QTabWidget* tabs_;
  TopologyScene* scene_;
  TopologyView* canvas_;
  QLabel* canvas_note_;
  InfoBar* info_;
  LoadScrubber* scrubber_;
  ImportReportView* import_report_;
  InspectorProcess* inspector_;
  ExplanationPage* explanation_;
  QFileSystemWatcher* watcher_;
  QListWidget* palette_;
  QTreeWidget* outline_;
  YamlEditor* editor_;
  FindBar* find_;
  SchemaForm* item_form_;
  SchemaForm* type_form_;
  WorkloadView* workload_;
  RulesView* rules_;
  ResultsView* results_;
  CompareView* compare_;
  WhatIfPanel* what_if_;
  ProblemsPanel* problems_;
  RunsPanel* runs_;
  QToolButton* state_ = nullptr; // "no problems", "2 errors"
  QProgressBar* progress_;
  RunProcess* point_run_ = nullptr;
  RunProcess* study_ = nullptr; // sensitivity or score
  QVector<QJsonObject> live_rows_;
  QTimer live_timer_;
  QString shown_title_;
  QString beside_; // the folder that is read only to be compared with
  Arrangement arrangement_ = Arrangement::none;
  QHash<int, QStringList> arranged_; // open panels by arrangement
  QHash<QString, int> heights_;      // px, of panels at the bottom
  bool sized_ = false;
  bool column_split_ = false;
  std::optional<bool> outline_on_top_; // where both panels are open
  bool look_at_problems_ = false;      // of a text that was just opened
  bool live_shown_ = false;
  bool touched_ = false; // somebody pressed a key or a button since the last run was asked for
  int asked_on_ = -1;    // the page on which it was asked for
  QStringList awaited_;  // folders of runs that have ended and are being read
};

} // namespace trainyard::gui
