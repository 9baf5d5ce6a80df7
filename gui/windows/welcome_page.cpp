#include "gui/windows/welcome_page.hpp"

#include "gui/core/places.hpp"
#include "gui/windows/session.hpp"

#include <QCommandLinkButton>
#include <QFile>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
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
  heading(tr("Ready scenarios"));
  auto* grid = new QGridLayout;
  int place = 0;
  for (const QString& file : example_files()) {
    const QString question = question_of(file);
    auto* link = new QCommandLinkButton{question.isEmpty() ? QFileInfo{file}.completeBaseName() : question, QFileInfo{file}.fileName()};
    link->setObjectName(QFileInfo{file}.completeBaseName());
    link->setMinimumWidth(120);
    link->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    connect(link, &QCommandLinkButton::clicked, this, [this, file] { emit exampleChosen(file); });
    grid->addWidget(link, place / 2, place % 2);
    ++place;
  }
  if (place == 0)
    grid->addWidget(new QLabel{tr("The folder of the shipped scenarios was not found; set TRAINYARD_DATA to it")}, 0, 0);
  layout->addLayout(grid);
  layout->addStretch();
}

} // namespace trainyard::gui
