// SPDX-License-Identifier: Apache-2.0
#include "gui/windows/welcome_page.hpp"

#include "gui/core/places.hpp"
#include "gui/core/widgets.hpp"
#include "gui/windows/session.hpp"

#include <QCommandLinkButton>
#include <QFile>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHash>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <utility>

namespace trainyard::gui {

QString question_of(const QString& file)
{
  QFile in{file};
  if (!in.open(QIODevice::ReadOnly))
    return {};
  const QString head = QString::fromUtf8(in.read(8192));
  for (const QString& line : head.split(QLatin1Char('\n')))
    if (line.startsWith(QLatin1String("question:"))) {
      QString text = line.mid(9).trimmed();
      if (text.size() > 1 && (text.startsWith(QLatin1Char('"')) || text.startsWith(QLatin1Char('\''))))
        text = text.mid(1, text.size() - 2);
      if (!text.isEmpty())
        text[0] = text[0].toUpper();
      return text;
    }
  return {};
}

WelcomePage::WelcomePage(Session& session, QWidget* parent) : QWidget{parent}
{
  auto* page = new QWidget;
  layout_ = new QVBoxLayout{page};
  layout_->setContentsMargins(32, 24, 32, 24);
  QScrollArea* scroll = scrolled(page);
  scroll->setFrameShape(QFrame::NoFrame);
  (new QVBoxLayout{this})->addWidget(scroll);
  auto* title = new QLabel{QStringLiteral("Trainyard")};
  title->setFont(bold(title->font(), 2.2));
  layout_->addWidget(title);
  auto* about = new QLabel{tr("What will this training cluster do? Pick a question, change it, run it.")};
  about->setWordWrap(true);
  layout_->addWidget(about);
  auto* actions = new QHBoxLayout;
  for (const auto& [text, signal] : {std::pair{tr("New scenario"), &WelcomePage::newRequested},
                                     {tr("Open…"), &WelcomePage::openRequested},
                                     {tr("Import compose, Kubernetes, Slurm, NCCL…"), &WelcomePage::importRequested}}) {
    auto* made = new QPushButton{text};
    actions->addWidget(made);
    connect(made, &QPushButton::clicked, this, signal);
  }
  actions->addStretch();
  layout_->addLayout(actions);
  if (const QStringList recent = session.recentFiles(); !recent.isEmpty()) {
    addHeading(tr("Recent"));
    for (const QString& file : recent.mid(0, 5)) {
      auto* link = new QCommandLinkButton{QFileInfo{file}.fileName(), QFileInfo{file}.absolutePath()};
      connect(link, &QCommandLinkButton::clicked, this, [this, file] { emit fileChosen(file); });
      layout_->addWidget(link);
    }
  }
  addExamples();
  layout_->addStretch();
}

void WelcomePage::addHeading(const QString& text)
{
  auto* label = new QLabel{text};
  label->setFont(bold(label->font(), 1.2));
  layout_->addSpacing(12);
  layout_->addWidget(label);
}

void WelcomePage::addExamples()
{
  QHash<QString, QString> files;
  for (const QString& file : example_files())
    files[QFileInfo{file}.completeBaseName()] = file;
  addHeading(tr("Example scenarios"));
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
  auto* first = new QGridLayout;
  for (const Ready& ready : founding)
    if (const QString file = files.take(QLatin1String(ready.name)); !file.isEmpty())
      addLink(*first, file, tr(ready.title), tr(ready.about));
  if (first->count() == 0)
    first->addWidget(new QLabel{tr("The folder with the example scenarios was not found; set TRAINYARD_DATA to it")}, 0,
                     0);
  layout_->addLayout(first);
  if (files.isEmpty())
    return;
  addHeading(tr("More examples"));
  auto* rest = new QGridLayout;
  QStringList names = files.keys();
  names.sort();
  for (const QString& name : std::as_const(names))
    addLink(*rest, files[name], QString{name}.replace(QLatin1Char('_'), QLatin1Char(' ')), question_of(files[name]));
  layout_->addLayout(rest);
}

void WelcomePage::addLink(QGridLayout& grid, const QString& file, const QString& name, const QString& about)
{
  auto* made = new QCommandLinkButton{name, about};
  made->setObjectName(QFileInfo{file}.completeBaseName());
  made->setToolTip(question_of(file));
  made->setAccessibleDescription(about);
  made->setMinimumWidth(200);
  QSizePolicy room = made->sizePolicy(); // as high as the text needs at the available width
  room.setHorizontalPolicy(QSizePolicy::Ignored);
  room.setVerticalPolicy(QSizePolicy::Fixed);
  room.setHeightForWidth(true);
  made->setSizePolicy(room);
  connect(made, &QCommandLinkButton::clicked, this, [this, file] { emit exampleChosen(file); });
  const int place = grid.count();
  grid.addWidget(made, place / 2, place % 2);
}

} // namespace trainyard::gui
