// SPDX-License-Identifier: Apache-2.0
#include "gui/windows/welcome_page.hpp"

#include "gui/core/places.hpp"
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
  auto* outer = new QVBoxLayout{this};
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  outer->addWidget(scroll);
  auto* page = new QWidget;
  scroll->setWidget(page);
  auto* layout = new QVBoxLayout{page};
  layout->setContentsMargins(32, 24, 32, 24);
  auto* title = new QLabel{QStringLiteral("Trainyard")};
  QFont big = title->font();
  big.setPointSizeF(big.pointSizeF() * 2.2);
  big.setBold(true);
  title->setFont(big);
  layout->addWidget(title);
  auto* about = new QLabel{tr("What will this training cluster do? Pick a question, change it, run it.")};
  about->setWordWrap(true);
  layout->addWidget(about);
  auto* actions = new QHBoxLayout;
  const auto button = [&](const QString& text, auto signal) {
    auto* made = new QPushButton{text};
    actions->addWidget(made);
    connect(made, &QPushButton::clicked, this, signal);
  };
  button(tr("New scenario"), &WelcomePage::newRequested);
  button(tr("Open…"), &WelcomePage::openRequested);
  button(tr("Import compose, Kubernetes, Slurm, NCCL…"), &WelcomePage::importRequested);
  actions->addStretch();
  layout->addLayout(actions);
  const auto heading = [&](const QString& text) {
    auto* label = new QLabel{text};
    QFont bold = label->font();
    bold.setBold(true);
    bold.setPointSizeF(bold.pointSizeF() * 1.2);
    label->setFont(bold);
    layout->addSpacing(12);
    layout->addWidget(label);
  };
  if (const QStringList recent = session.recentFiles(); !recent.isEmpty()) {
    heading(tr("Recent"));
    for (const QString& file : recent.mid(0, 5)) {
      auto* link = new QCommandLinkButton{QFileInfo{file}.fileName(), QFileInfo{file}.absolutePath()};
      connect(link, &QCommandLinkButton::clicked, this, [this, file] { emit fileChosen(file); });
      layout->addWidget(link);
    }
  }
  // One for each document that the project began from, then the others.
  struct Ready {
    const char* name;
    QString title;
    QString about;
  };
  const QVector<Ready> founding{
      {"vgg16_ps_vs_ring", tr("VGG-16: parameter server or ring?"),
       tr("Distributed learning: which architecture, how many servers, which network")},
      {"ring_vs_ps", tr("Where does the parameter server stop scaling?"),
       tr("Distributed-learning notes: ring and servers on 10 to 100 Gbit/s")},
      {"swarm_failures", tr("A machine of a Docker Swarm fails"),
       tr("Swarm paper: what restarts where and when, and what is lost")},
      {"alibaba_two_m40", tr("Two M40 in one host, three containers"),
       tr("Container-service article: where containers are placed, which GPU they see")},
      {"team_sharing", tr("Teams share one cluster, or each has its own"),
       tr("Cluster-management article: waiting, utilisation and quotas")},
      {"retraining", tr("Models that are retrained every night"),
       tr("Task-environment paper: how old is the deployed model?")},
      {"shared_cluster_policies", tr("Which queue policy is best for whom?"),
       tr("Capacity planning: waiting, fairness and utilisation under eight policies")},
      {"rack_failure", tr("A rack fails at 02:00"), tr("What is lost, what restarts where, and how long it takes")}};
  QHash<QString, QString> files;
  for (const QString& file : example_files())
    files[QFileInfo{file}.completeBaseName()] = file;
  const auto link = [this](QGridLayout* grid, int place, const QString& file, const QString& name,
                           const QString& about_it) {
    auto* made = new QCommandLinkButton{name, about_it};
    made->setObjectName(QFileInfo{file}.completeBaseName());
    made->setToolTip(question_of(file));
    made->setAccessibleDescription(about_it);
    made->setMinimumWidth(200);
    QSizePolicy room = made->sizePolicy(); // as high as the text needs at the available width
    room.setHorizontalPolicy(QSizePolicy::Ignored);
    room.setVerticalPolicy(QSizePolicy::Fixed);
    room.setHeightForWidth(true);
    made->setSizePolicy(room);
    connect(made, &QCommandLinkButton::clicked, this, [this, file] { emit exampleChosen(file); });
    grid->addWidget(made, place / 2, place % 2);
  };
  heading(tr("Example scenarios"));
  auto* first = new QGridLayout;
  int place = 0;
  for (const Ready& ready : founding)
    if (const QString file = files.take(QLatin1String(ready.name)); !file.isEmpty())
      link(first, place++, file, ready.title, ready.about);
  if (place == 0)
    first->addWidget(new QLabel{tr("The folder with the example scenarios was not found; set TRAINYARD_DATA to it")}, 0,
                     0);
  layout->addLayout(first);
  if (!files.isEmpty()) {
    heading(tr("More examples"));
    auto* rest = new QGridLayout;
    place = 0;
    QStringList names = files.keys();
    names.sort();
    for (const QString& name : std::as_const(names)) {
      QString words = name;
      words.replace(QLatin1Char('_'), QLatin1Char(' '));
      QString question = question_of(files[name]);
      link(rest, place++, files[name], words, question);
    }
    layout->addLayout(rest);
  }
  layout->addStretch();
}

} // namespace trainyard::gui
