// SPDX-License-Identifier: Apache-2.0
#include "gui/windows/welcome_page.hpp"

#include "gui/core/places.hpp"
#include "gui/core/theme.hpp"
#include "gui/core/widgets.hpp"
#include "gui/results/messages.hpp"
#include "gui/windows/session.hpp"

#include <QCommandLinkButton>
#include <QFile>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHash>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <tuple>
#include <utility>

namespace trainyard::gui {

namespace {

QString head_of(const QString& file)
{
  QFile in{file};
  return in.open(QIODevice::ReadOnly) ? QString::fromUtf8(in.read(8192)) : QString{};
}

/// What a scenario is about, by the sections it has.
QString kind_icon(const QString& head)
{
  const auto has = [&](const char* section) { return head.contains(QLatin1Char('\n') + QLatin1String(section)); };
  return has("task_environment:")                 ? QStringLiteral("clock")
         : has("workload:") || has("scheduling:") ? QStringLiteral("queue")
         : has("services:")                       ? QStringLiteral("services")
                                                  : QStringLiteral("network");
}

} // namespace

QString question_of(const QString& file)
{
  const QString head = head_of(file);
  for (const QString& line : head.split(QLatin1Char('\n')))
    if (line.startsWith(QLatin1String("question:"))) {
      QString text = line.mid(9).trimmed();
      if (text.size() > 1 && (text.startsWith(QLatin1Char('"')) || text.startsWith(QLatin1Char('\''))))
        text = text.mid(1, text.size() - 2);
      text = question_words(text);
      if (!text.isEmpty())
        text[0] = text[0].toUpper();
      return text;
    }
  return {};
}

WelcomePage::WelcomePage(Session& session, QWidget* parent) : QWidget{parent}, search_{new QLineEdit}, none_{new QLabel}
{
  auto* page = new QWidget;
  layout_ = new QVBoxLayout{page};
  layout_->setContentsMargins(32, 24, 32, 24);
  QScrollArea* scroll = scrolled(page);
  scroll->setFrameShape(QFrame::NoFrame);
  (new QVBoxLayout{this})->addWidget(scroll);
  auto* title = new QLabel{QStringLiteral("Trainyard")};
  title->setFont(bold(title->font(), 2.0));
  layout_->addWidget(title);
  auto* about = new QLabel{tr("What will this training cluster do? Pick a question, change it, run it.")};
  about->setWordWrap(true);
  about->setForegroundRole(QPalette::PlaceholderText);
  layout_->addWidget(about);
  layout_->addSpacing(8);
  auto* actions = new QHBoxLayout;
  actions->setSpacing(8);
  for (const auto& [text, icon, signal] :
       {std::tuple{tr("New scenario"), "new", &WelcomePage::newRequested},
        {tr("Open…"), "open", &WelcomePage::openRequested},
        {tr("Import compose, Kubernetes, Slurm, NCCL…"), "layout", &WelcomePage::importRequested}}) {
    auto* made = new QPushButton{drawn_icon(QLatin1String(icon)), text};
    actions->addWidget(made);
    connect(made, &QPushButton::clicked, this, signal);
  }
  actions->addStretch();
  layout_->addLayout(actions);
  if (const QStringList recent = session.recentFiles(); !recent.isEmpty()) {
    addHeading(tr("Recent"));
    for (const QString& file : recent.mid(0, 5)) {
      auto* link = new QCommandLinkButton{QFileInfo{file}.fileName(), QFileInfo{file}.absolutePath()};
      link->setIcon(drawn_icon(QStringLiteral("open")));
      connect(link, &QCommandLinkButton::clicked, this, [this, file] { emit fileChosen(file); });
      layout_->addWidget(link);
    }
  }
  addExamples();
  layout_->addStretch();
}

QLabel* WelcomePage::addHeading(const QString& text)
{
  auto* label = new QLabel{text};
  label->setFont(bold(label->font(), 1.2));
  layout_->addSpacing(12);
  layout_->addWidget(label);
  return label;
}

void WelcomePage::addExamples()
{
  QHash<QString, QString> files;
  for (const QString& file : example_files())
    files[QFileInfo{file}.completeBaseName()] = file;
  search_->setObjectName(QStringLiteral("search"));
  search_->setPlaceholderText(tr("Search the examples: ring, failure, Kubernetes, cost…"));
  search_->setAccessibleName(tr("Search the examples"));
  search_->setClearButtonEnabled(true);
  search_->setMaximumWidth(520);
  layout_->addSpacing(8);
  layout_->addWidget(search_);
  connect(search_, &QLineEdit::textChanged, this, &WelcomePage::search);
  parts_.push_back({addHeading(tr("Example scenarios")), new QGridLayout, {}});
  // One for each document that the project began from, then those that show the rest.
  struct Ready {
    const char* name;
    const char* title;
    const char* about;
  };
  static constexpr Ready founding[]{
      {"vgg16_ps_vs_ring", QT_TR_NOOP("VGG-16: parameter server or ring?"),
       QT_TR_NOOP("Distributed learning: which architecture, how many servers, which network")},
      {"ring_vs_ps", QT_TR_NOOP("Where does the parameter server stop scaling?"),
       QT_TR_NOOP("Distributed-learning notes: ring and servers on 10 to 100 Gbit/s")},
      {"swarm_failures", QT_TR_NOOP("A machine of a Docker Swarm fails"),
       QT_TR_NOOP("Swarm paper: what restarts where and when, and what is lost")},
      {"alibaba_two_m40", QT_TR_NOOP("Two M40 in one host, three containers"),
       QT_TR_NOOP("Container-service article: where containers are placed, which GPU they see")},
      {"team_sharing", QT_TR_NOOP("Teams share one cluster, or each has its own"),
       QT_TR_NOOP("Cluster-management article: waiting, utilisation and quotas")},
      {"retraining", QT_TR_NOOP("Models that are retrained every night"),
       QT_TR_NOOP("Task-environment paper: how old is the deployed model?")},
      {"shared_cluster_policies", QT_TR_NOOP("Which queue policy is best for whom?"),
       QT_TR_NOOP("Capacity planning: waiting, fairness and utilisation under eight policies")},
      {"rack_failure", QT_TR_NOOP("A rack fails at 02:00"),
       QT_TR_NOOP("What is lost, what restarts where, and how long it takes")}};
  QGridLayout* first = parts_.back().grid;
  for (const Ready& ready : founding)
    if (const QString file = files.take(QLatin1String(ready.name)); !file.isEmpty())
      addLink(parts_.back(), file, tr(ready.title), tr(ready.about));
  if (first->count() == 0)
    first->addWidget(new QLabel{tr("The folder with the example scenarios was not found; set TRAINYARD_DATA to it")}, 0,
                     0);
  layout_->addLayout(first);
  if (files.isEmpty())
    return;
  parts_.push_back({addHeading(tr("More examples")), new QGridLayout, {}});
  QStringList names = files.keys();
  names.sort();
  for (const QString& name : std::as_const(names)) {
    QString title = QString{name}.replace(QLatin1Char('_'), QLatin1Char(' '));
    static const QRegularExpression short_word{QStringLiteral("\\b(cpu|gpu|mpi|sgd|tf|ps|[hmv]\\d+|\\d+b)\\b")};
    for (auto it = short_word.globalMatch(title); it.hasNext();) {
      const auto match = it.next();
      title.replace(match.capturedStart(), match.capturedLength(), match.captured().toUpper());
    }
    title[0] = title[0].toUpper();
    addLink(parts_.back(), files[name], title, question_of(files[name]));
  }
  layout_->addLayout(parts_.back().grid);
  none_->setWordWrap(true);
  none_->setForegroundRole(QPalette::PlaceholderText);
  none_->hide();
  layout_->addWidget(none_);
}

void WelcomePage::addLink(Part& part, const QString& file, const QString& name, const QString& about)
{
  auto* made = new QCommandLinkButton{name, about};
  made->setObjectName(QFileInfo{file}.completeBaseName());
  made->setIcon(drawn_icon(kind_icon(head_of(file))));
  made->setToolTip(question_of(file));
  made->setAccessibleDescription(about);
  made->setMinimumWidth(200);
  QSizePolicy room = made->sizePolicy(); // as high as the text needs at the available width
  room.setHorizontalPolicy(QSizePolicy::Ignored);
  room.setVerticalPolicy(QSizePolicy::Fixed);
  room.setHeightForWidth(true);
  made->setSizePolicy(room);
  connect(made, &QCommandLinkButton::clicked, this, [this, file] { emit exampleChosen(file); });
  part.grid->setSpacing(8);
  const int place = part.grid->count();
  part.grid->addWidget(made, place / 2, place % 2);
  part.examples.push_back(
      {made, QStringList{made->objectName(), name, about, question_of(file)}.join(QLatin1Char(' '))});
}

void WelcomePage::search(const QString& words)
{
  const QStringList asked = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  int found = 0;
  for (const Part& part : std::as_const(parts_)) {
    int place = 0;
    for (const Example& example : part.examples) {
      const bool hit = std::all_of(asked.begin(), asked.end(), [&](const QString& word) {
        return example.words.contains(word, Qt::CaseInsensitive);
      });
      part.grid->removeWidget(example.button);
      example.button->setVisible(hit);
      if (!hit)
        continue;
      part.grid->addWidget(example.button, place / 2, place % 2);
      ++place;
    }
    part.heading->setVisible(place > 0);
    found += place;
  }
  none_->setText(tr("No example has “%1”. “New scenario” starts with a small cluster to change.").arg(words));
  none_->setVisible(found == 0);
}

} // namespace trainyard::gui
