// SPDX-License-Identifier: Apache-2.0
/// Sentences that simrun writes are shown in the language of the window, and word for word in English.
#include "gui/results/explanation.hpp"
#include "gui/results/messages.hpp"
#include "gui/results/results_view.hpp"
#include "models/scenario/assumptions.hpp"
#include "tests/gui/window_fixture.hpp"

#include <QAction>
#include <QJsonDocument>
#include <QLabel>

#include <memory>
#include <string>

using namespace trainyard::gui;

namespace {

/// Two variants, one of which says little: an answer with a winner, and a line of what is assumed.
const QString variants =
    QStringLiteral("name: variants\ncluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 1}}\n"
                   "  nodes: [{name: w, type: w, count: 4}]\n  network: {topology: star, link: 10GbE}\n"
                   "jobs: [{name: train, model: vgg16, workers: 4, training: {mode: all_reduce}}]\n"
                   "sweep:\n  variants:\n    - {name: slow}\n"
                   "    - {name: fast, set: {cluster.network.link: 100GbE}}\n");

/// As simrun writes them: advice() of sim/report, a job that never ends, and a warning of one point of a sweep.
const QString ring_wins = QStringLiteral("vgg16: ring wins from 1 GPU on; at 16 with 1,219 images/s, 35.6 times ps:8 "
                                         "async, whose bottleneck is NIC of ps-2: 88 % busy.");
const QString never_ends =
    QStringLiteral("job 'train' never ends: box-1 is not repaired and there is no spare machine");
const QString sampled = QStringLiteral("workers=4: all machines do the same: 2 of the 64 were simulated; the figures "
                                       "are those of all, and links.csv and traffic.csv list the 2");
const QString freshest = QStringLiteral(
    "allow serves the freshest models: their data are 1.01 periods old on average, compared with 1.31 for replace; the "
    "models are stale 47.5 % of the time, compared with 46.6 %, 495 models are deployed, compared with 337, 229 "
    "GPU-hours are wasted, compared with 3,803.");
const QByteArray messages = R"told([
  {"id": "retraining.freshest", "text": "allow serves the freshest models: their data are 1.01 periods old on average, compared with 1.31 for replace; the models are stale 47.5 % of the time, compared with 46.6 %, 495 models are deployed, compared with 337, 229 GPU-hours are wasted, compared with 3,803.",
   "arguments": {"policy": "allow", "starving": [], "age": {"value": 1.01, "text": "1.01"}, "older": {"value": 1.31, "text": "1.31"},
     "other": "replace", "stale": {"value": 0.475, "text": "47.5 %"}, "more": {"value": 0.466, "text": "46.6 %"}, "besides": [
       {"id": "retraining.deployed", "text": ", 495 models are deployed, compared with 337", "arguments": {"models": 495, "others": 337}},
       {"id": "retraining.wasted", "text": ", 229 GPU-hours are wasted, compared with 3,803", "arguments": {
         "hours": {"value": 229, "text": "229"}, "others": {"value": 3803, "text": "3,803"}}}]}},
  {"id": "jobs.no_more", "text": "vgg16: ring wins from 1 GPU on; at 16 with 1,219 images/s, 35.6 times ps:8 async, whose bottleneck is NIC of ps-2: 88 % busy.",
   "arguments": {"wins": [{"id": "jobs.wins_from", "text": "vgg16: ring wins from 1 GPU on; at 16 with 1,219 images/s, 35.6 times ps:8 async, whose bottleneck is NIC of ps-2: 88 % busy",
     "counted": "gpus",
     "arguments": {"model": "vgg16", "winner": "ring", "gpus": 1, "most": 16, "ahead": [
       {"id": "jobs.times_as_many", "text": "1,219 images/s, 35.6 times ps:8 async, whose bottleneck is NIC of ps-2: 88 % busy",
        "arguments": {"rate": {"value": 1219.1, "text": "1,219"}, "sample": "image", "times": {"value": 35.6, "text": "35.6"},
                      "other": "ps:8 async", "bottleneck": [{"id": "bottleneck.busy", "text": "NIC of ps-2: 88 % busy", "arguments": {
                        "what": [{"id": "bottleneck.nic", "text": "NIC of ps-2", "arguments": {"task": "ps-2"}}],
                        "share": {"value": 0.88, "text": "88 %"}}}]}}]}}]}},
  {"id": "jobs.never_ends", "text": "job 'train' never ends: box-1 is not repaired and there is no spare machine",
   "arguments": {"job": "train", "why": [{"id": "failures.not_repaired", "text": "box-1 is not repaired and there is no spare machine", "arguments": {"what": "box-1"}}]}},
  {"id": "bottleneck.shared", "text": "NIC of box-0, shared by 10 jobs: 98 % busy", "counted": "jobs", "arguments": {
     "what": [{"id": "bottleneck.nic", "text": "NIC of box-0", "arguments": {"task": "box-0"}}], "jobs": 10, "share": {"value": 0.98, "text": "98 %"}}},
  {"id": "basis.based_on", "text": "vgg16: compute from the data sheet of V100-SXM2-16GB (roofline), network from the catalogue", "arguments": {
     "model": "vgg16", "compute": [{"id": "basis.data_sheet", "text": "compute from the data sheet of V100-SXM2-16GB (roofline)",
                 "arguments":
{
  "gpu" : "V100-SXM2-16GB"
}
}],
     "network": [{"id": "basis.from_catalogue", "text": "network from the catalogue"}]
}
},
  {"id": "failures.hit", "text": "box-1 after 250 s: stops the job, 30.0 s are redone", "arguments": {"what": "box-1", "time": {"value": 250, "text": "250 s"},
     "effect": [{"id": "failures.stops_redone", "text": "stops the job, 30.0 s are redone", "arguments": {"time": {"value": 30, "text": "30.0 s"}}}]}},
  {"id": "check.no_effect", "text": "'memory' has no effect: no job computes on CPUs (training: device: cpu), and there is no queue", "arguments": {
     "key": "memory", "why": [{"id": "idle.no_cpu_job", "text": "no job computes on CPUs (training: device: cpu), and there is no queue"}]}},
  {"id": "explain.assumed", "text": "assumed: precision fp32; restart delay 10 s (server)", "arguments": {"list": [
     {"id": "assumed.jobs.precision", "text": "precision fp32", "arguments": {"value": {"value": null, "text": "fp32"}}}, {"id": "", "text": "; "},
     {"id": "assumed.of_types", "text": "restart delay 10 s (server)", "arguments": {"types": "server", "what": [
       {"id": "assumed.orchestrator.restart_delay", "text": "restart delay 10 s", "arguments": {"value": {"value": null, "text": "10 s"}}}]}}]}},
  {"id": "explain.path", "text": "critical path of one step"},
  {"id": "explain.title_at", "text": "vgg16, ps:1 sync, 8 GPUs  [workers=8]", "arguments": {"point": "workers=8", "title": [
     {"id": "explain.title", "text": "vgg16, ps:1 sync, 8 GPUs", "counted": "gpus", "arguments": {"what": "vgg16, ps:1 sync", "gpus": 8}}]}},
  {"id": "jobs.of_point", "text": "workers=4: all machines do the same: 2 of the 64 were simulated; the figures are those of all, and links.csv and traffic.csv list the 2",
   "arguments": {"point": "workers=4", "what": [
     {"id": "jobs.machines_sampled", "text": "all machines do the same: 2 of the 64 were simulated; the figures are those of all, and links.csv and traffic.csv list the 2",
      "arguments": {"sampled": 2, "all": 64}}]}},
  {"id": "services.of_point", "text": "variant=swarm: 1 failure hit 2 tasks; train is not done, because train/worker-0 does not run: 0/4 nodes fit: 1 down, 3 insufficient gpu.",
   "arguments": {"point": "variant=swarm", "what": [
     {"id": "services.failures_hit", "text": "1 failure hit 2 tasks", "arguments": {
       "failures": [{"id": "services.failures", "text": "1 failure", "counted": "failures", "arguments": {"failures": 1}}],
       "tasks": [{"id": "services.tasks", "text": "2 tasks", "counted": "tasks", "arguments": {"tasks": 2}}]}},
     {"id": "", "text": "; "},
     {"id": "services.not_done", "text": "train is not done, because train/worker-0 does not run: 0/4 nodes fit: 1 down, 3 insufficient gpu", "arguments": {
       "service": "train", "task": "train/worker-0", "why": [{"id": "services.nodes_fit", "text": "0/4 nodes fit: 1 down, 3 insufficient gpu", "arguments": {
         "fit": 0, "nodes": 4, "why": [{"id": "services.down", "text": "1 down", "arguments": {"nodes": 1}}, {"id": "", "text": ", "},
           {"id": "services.gpu", "text": "3 insufficient gpu", "arguments": {"nodes": 3}}]}}]}}]}}])told";

/// One of these messages.
trainyard::Message said(const char* id)
{
  for (const trainyard::Message& message : read_messages(QJsonDocument::fromJson(messages).array()))
    if (message.id == id)
      return message;
  return {};
}

/// As `simrun explain` tells it, of a training.
trainyard::Telling explained_training()
{
  trainyard::Telling told;
  told.heading(said("explain.title_at"));
  told.line(plain(trainyard::MessageKind::part, "14.5 images/s (80 % sure: 9.2 to 16.4), step 17.7 s, 1 % of linear "
                                                "scaling; bottleneck: NIC of ps-0: 50 % busy"));
  told.heading(said("explain.path"), "\n  ");
  told.table({{"role", false}, {"time"}, {"waited"}, {"where", false}, {"what", false}},
             {{"pull", "8.85 s", "-", "worker-1 from ps-0", "pull conv5 … pull conv1 (32 operations)"},
              {"backward", "64.3 us", "-", "worker-1 compute", "backward fc8"}},
             4);
  told.line(said("explain.assumed"), "\n");
  return told;
}

trainyard::Telling explained_retraining()
{
  trainyard::Telling told;
  const auto words = [](const char* text) { return plain(trainyard::MessageKind::part, text); };
  told.heading(words("faces-3 under wait(limit=1 h): needed at day 3 00:00:00, deployed after 255 min"));
  told.line(words("upload 27.6 min + confirm 248 s = 31.7 min"));
  told.table({{"", false}, {"", false}, {"", false}},
             {{"day 3 00:00:00", "service → planner", "faces needs retraining"},
              {"day 3 00:31:44", "cluster", "the training fails after 40.0 s"}},
             2);
  told.line(words("12 of 24 GPUs busy"), "    load:     ");
  return told;
}

QString in_words(const trainyard::Telling& told)
{
  ExplanationPage page;
  page.setExplanation(told);
  return page.words();
}

/// Three jobs of four GPUs on four: with sjf the short one does not wait for the long one that came before it.
const QString queue = QStringLiteral(
    "name: queue\ncluster:\n  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 4}}\n"
    "  nodes: [{name: n, type: n, count: 1}]\n"
    "workload:\n  jobs:\n    - {name: first, gpus: 4, duration: 10 h}\n"
    "    - {name: long, gpus: 4, duration: 10 h, submit: 1 min}\n"
    "    - {name: short, gpus: 4, duration: 1 min, submit: 2 min}\nscheduling: {policies: [fifo, sjf]}\n");

/// Two tasks that need a GPU each, and one GPU.
const QString tasks = QStringLiteral("name: tasks\ncluster:\n  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 1}}\n"
                                     "  nodes: [{name: n, type: n, count: 1}]\n"
                                     "services: [{name: web, replicas: 2, resources: {gpus: 1}}]\nrun: {until: 1 h}\n");

} // namespace

class SentencesTest : public QObject
{
  Q_OBJECT

private slots:
  void initTestCase()
  {
    fixture_ = std::make_unique<tests::WindowFixture>("simgui-sentences");
    session_ = fixture_->session.get();
    window_ = fixture_->window.get();
    QVERIFY2(!simrun_program().isEmpty(), "simrun was not found");
    QVERIFY(QTest::qWaitForWindowExposed(window_));
    QTRY_VERIFY_WITH_TIMEOUT(session_->schema.isReady(), 20'000);
    session_->useLanguage(QStringLiteral("ru"));
    QCOMPARE(sentence_words(ring_wins), ring_wins); // nobody has told of it yet
    learn_messages(QJsonDocument::fromJson(messages).array());
  }

  void cleanupTestCase() { fixture_.reset(); }

  void cleanup() { session_->useLanguage(QStringLiteral("en")); }

  void answersAreTranslatedWithTheirParts()
  {
    session_->useLanguage(QStringLiteral("ru"));
    QCOMPARE(sentence_words(ring_wins),
             QStringLiteral("vgg16: ring выигрывает начиная с 1 GPU; на 16 — 1,219 изображений/с, в 35.6 раза больше, "
                            "чем ps:8 async, у которого узкое место — сетевая карта ps-2: занятость 88 %."));
    QCOMPARE(
        sentence_words(QStringLiteral("vgg16: compute from the data sheet of V100-SXM2-16GB (roofline), network from "
                                      "the catalogue")),
        QStringLiteral("vgg16: вычисления по паспорту V100-SXM2-16GB (roofline), сеть из каталога"));
    session_->useLanguage(QStringLiteral("zh_CN"));
    QCOMPARE(sentence_words(QStringLiteral("variant=swarm: 1 failure hit 2 tasks; train is not done, because "
                                           "train/worker-0 does not run: 0/4 nodes fit: 1 down, 3 insufficient gpu.")),
             QStringLiteral("variant=swarm：故障 1 次，波及 2 个任务; train 未完成，因为 train/worker-0 没有运行：4 "
                            "个节点中 0 个合适：1 个停机, 3 个GPU 不足。"));
  }

  void thePartsOfAnAnswerAreToldApart()
  {
    // The commas of one part do not end it: the last two belong to models that are deployed and hours that are wasted.
    session_->useLanguage(QStringLiteral("ru"));
    QCOMPARE(sentence_words(freshest),
             QStringLiteral("allow даёт самые свежие модели: их данным в среднем 1.01 периода против 1.31 у replace; "
                            "модели устаревают на 47.5 % времени против 46.6 %, развёрнуто 495 моделей против 337, "
                            "впустую потрачено 229 GPU-часов против 3,803."));
  }

  void cellsOfTablesAreTranslatedWhereTheyAreSentences()
  {
    const QString reason = QStringLiteral("fewer GPUs free than it needs");
    QCOMPARE(cell_words(QStringLiteral("reason"), reason), reason);
    session_->useLanguage(QStringLiteral("ru"));
    QCOMPARE(cell_words(QStringLiteral("reason"), reason), QStringLiteral("свободно меньше GPU, чем ему нужно"));
    QCOMPARE(cell_words(QStringLiteral("bottleneck"), QStringLiteral("NIC of box-0, shared by 10 jobs: 98 % busy")),
             QStringLiteral("сетевая карта box-0, общее для 10 заданий: занятость 98 %"));
    QCOMPARE(cell_words(QStringLiteral("job"), reason), reason); // a name
    QVERIFY(reason_texts().contains(QStringLiteral("свободно меньше GPU, чем ему нужно")));
  }

  void englishStaysWordForWord()
  {
    for (const QString& answer : {ring_wins, freshest, QString{}})
      QCOMPARE(sentence_words(answer), answer);
  }

  void tablesOfExplanationsStayTables()
  {
    // Each column is as wide as its longest cell, right where it was right: "получение" is wider than "backward". What
    // is not known stays: the line of rates, which nobody has told of here, and names.
    session_->useLanguage(QStringLiteral("ru"));
    QCOMPARE(
        in_words(explained_training()),
        QStringLiteral("vgg16, ps:1 sync, 8 GPU  [workers=8]\n"
                       "  14.5 images/s (80 % sure: 9.2 to 16.4), step 17.7 s, 1 % of linear scaling; bottleneck: "
                       "NIC of ps-0: 50 % busy\n"
                       "\n"
                       "  критический путь одного шага\n"
                       "    роль          время  ждал  где                 что\n"
                       "    получение    8.85 с     -  worker-1 from ps-0  pull conv5 … pull conv1 (32 operations)\n"
                       "    обратный   64.3 мкс     -  worker-1 compute    backward fc8\n"
                       "\n"
                       "принято: точность fp32; задержка перезапуска 10 с (server)\n"));
    // A Chinese letter takes two columns of a terminal: 前 and 向 stand over "back".
    session_->useLanguage(QStringLiteral("zh_CN"));
    trainyard::Telling chinese;
    chinese.table({{"role", false}, {"time", false}}, {{"backward", "10 ms"}}, 4);
    QCOMPARE(in_words(chinese), QStringLiteral("    角色  时间\n    反向  10 ms\n"));
  }

  void failuresOfAJobAreTold()
  {
    session_->useLanguage(QStringLiteral("ru"));
    trainyard::Telling told;
    told.line(said("failures.hit"));
    QCOMPARE(in_words(told), QStringLiteral("  box-1 через 250 с: останавливает задание, повторяется 30.0 с\n"));
    QCOMPARE(sentence_words(never_ends),
             QStringLiteral("задание 'train' никогда не закончится: box-1 не ремонтируется, и запасной машины нет"));
  }

  void anExplanationIsAPage()
  {
    // A heading, a title and two bars of 180 px, of which nine of thirty parts are 54 px and nothing is nothing.
    ExplanationPage page;
    trainyard::Telling told;
    told.heading(plain(trainyard::MessageKind::part, "vgg16, ring, 64 GPUs  [workers=64]"));
    told.heading(plain(trainyard::MessageKind::part, "parts of the critical worker's step"), "  ");
    told.table({{"", false}, {"", false}, {"", false}},
               {{"compute", trainyard::TableCell::bar(0.3), "151 ms (30 %)"},
                {"input", trainyard::TableCell::bar(0), "0 (0 %)"}},
               4);
    page.setExplanation(told);
    const QString text = page.toPlainText(), laid_out = page.toHtml();
    QVERIFY2(!text.contains(QLatin1String("#")) && !text.contains(QLatin1String("...")), qPrintable(text));
    QVERIFY2(text.contains(QLatin1String("151 ms (30 %)")), qPrintable(text));
    QVERIFY(laid_out.contains(QLatin1String("<h3")) && laid_out.contains(QLatin1String("<h4")));
    for (const char* width : {"width=\"54\"", "width=\"126\"", "width=\"180\""})
      QVERIFY2(laid_out.contains(QLatin1String(width)), qPrintable(laid_out));
    // Two events are rows of three cells; what follows is a line.
    page.setExplanation(explained_retraining());
    QCOMPARE(page.toHtml().count(QLatin1String("<td ")), 2 * 3);
    QVERIFY2(page.toPlainText().contains(QLatin1String("load: 12 of 24 GPUs busy")), qPrintable(page.toPlainText()));
    session_->useLanguage(QStringLiteral("ru"));
    told = {};
    told.table({{"", false}, {"", false}}, {{"compute", "151 ms (30 %)"}}, 4);
    page.setExplanation(told);
    QVERIFY2(page.toPlainText().contains(QStringLiteral("151 мс (30 %)")), qPrintable(page.toPlainText()));
    QVERIFY(page.words().contains(QStringLiteral("151 мс (30 %)")));
  }

  void warningsAreTranslated()
  {
    session_->useLanguage(QStringLiteral("ru"));
    QCOMPARE(
        sentence_words(QStringLiteral("'memory' has no effect: no job computes on CPUs (training: device: cpu), and "
                                      "there is no queue")),
        QStringLiteral("'memory' не действует: ни одно задание не считает на CPU (training: device: cpu), и очереди "
                       "нет"));
    QCOMPARE(
        sentence_words(sampled),
        QStringLiteral("workers=4: все машины делают одно и то же: смоделировано 2 из 64; цифры относятся ко всем, "
                       "а links.csv и traffic.csv содержат 2"));
    QCOMPARE(sentence_words(QStringLiteral("a warning of a later version")),
             QStringLiteral("a warning of a later version"));
  }

  void explanationsStayWordForWordInEnglish()
  {
    for (const trainyard::Telling& told : {explained_training(), explained_retraining()})
      QCOMPARE(in_words(told), QString::fromStdString(told.text()));
  }

  void aSentenceThatNobodyToldOfStaysEnglish()
  {
    session_->useLanguage(QStringLiteral("ru"));
    for (const char* answer :
         {"a sentence of a later version.", "variant=swarm: 1 failure hit 2 tasks; something of a later version."})
      QCOMPARE(sentence_words(QLatin1String(answer)), QLatin1String(answer));
  }

  void everyAssumptionOfTheTableHasAText()
  {
    for (const char* language : {"ru", "zh_CN"}) {
      session_->useLanguage(QLatin1String(language));
      for (const trainyard::Assumption& assumption : trainyard::assumptions()) {
        const QString id = QStringLiteral("assumed.") +
                           QString::fromStdString(std::string{assumption.path}).remove(QStringLiteral("*."));
        QVERIFY2(assumption.words == "{}" || QCoreApplication::translate("Messages", id.toUtf8().constData()) != id,
                 qPrintable(id));
      }
    }
  }

  void theResultsPageSpeaksTheLanguageOfTheWindow()
  {
    session_->useLanguage(QStringLiteral("ru"));
    session_->document.openText(variants, QStringLiteral("variants.yaml"), fixture_->folder.path());
    window_->action(QStringLiteral("run"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!session_->results.empty(), 60'000);
    const auto* answer = window_->resultsView()->findChild<QLabel*>(QStringLiteral("answer"));
    const auto* assumed = window_->resultsView()->findChild<QLabel*>(QStringLiteral("assumed"));
    QVERIFY(answer != nullptr && assumed != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(answer->text().startsWith(QStringLiteral("<b>vgg16: fast выигрывает: ")), 10'000);
    QVERIFY2(answer->text().contains(QStringLiteral("изображений/с")) &&
                 answer->text().contains(QStringLiteral("slow, у которого узкое место — ")),
             qPrintable(answer->text()));
    for (const char* words : {"точность fp32", "батч 32 на GPU", "сетевых карт на машину: 1"})
      QVERIFY2(assumed->text().contains(QString::fromUtf8(words)), qPrintable(assumed->text()));
    for (const char* words : {"precision", "batch 32", "network cards"})
      QVERIFY2(!assumed->text().contains(QLatin1String(words)), qPrintable(assumed->text()));
    window_->action(QStringLiteral("explain"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(window_->explanation().contains(QStringLiteral("критический путь одного шага")), 20'000);
    for (const char* words : {"bottleneck", "of linear scaling", "busiest", "top links", "exposed", "assumed:", "wins"})
      QVERIFY2(!window_->explanation().contains(QLatin1String(words)), qPrintable(window_->explanation()));
  }

  void whyAJobWaitedIsToldInTheLanguageOfTheWindow()
  {
    session_->useLanguage(QStringLiteral("ru"));
    run(queue);
    // Under fifo they start 0, 599 and 1,198 min after their submission, under sjf 0, 600 and 598: 199.7 min sooner.
    const auto* answer = window_->resultsView()->findChild<QLabel*>(QStringLiteral("answer"));
    QTRY_VERIFY_WITH_TIMEOUT(answer->text().contains(QStringLiteral("наименьшее среднее время выполнения: sjf (")),
                             10'000);
    QVERIFY2(answer->text().contains(QStringLiteral("задание начинается на 200 мин раньше, чем при fifo")) &&
                 answer->text().contains(QStringLiteral("времени ожидания при fifo имеет причину: ")),
             qPrintable(answer->text()));
    emit window_->resultsView()->explainRequested(QStringLiteral("job"), QStringLiteral("short"), {});
    QTRY_VERIFY_WITH_TIMEOUT(window_->explanation().contains(QStringLiteral("в основном (100 % ожидания): ")), 20'000);
    const QString told = window_->explanation();
    QVERIFY2(told.contains(QStringLiteral("задание short (4 GPU) при fifo: отправлено в 00:02:00, начато в 20:00:00, "
                                          "через 20.0 ч, завершено в 20:01:00")) &&
                 told.contains(QStringLiteral("с 00:02:00 до 20:00:00 (20.0 ч): ")) &&
                 told.contains(QStringLiteral("раньше оно начаться не могло")),
             qPrintable(told));
    for (const char* words : {"submitted", "started", "from", "mostly", "earlier", "free", "queue"})
      QVERIFY2(!told.contains(QLatin1String(words)), qPrintable(told));
  }

  void whyATaskWaitsIsToldInTheLanguageOfTheWindow()
  {
    session_->useLanguage(QStringLiteral("ru"));
    run(tasks);
    emit window_->resultsView()->explainRequested(QStringLiteral("task"), QStringLiteral("web-1"), {});
    QTRY_VERIFY2_WITH_TIMEOUT(
        window_->explanation().contains(
            QStringLiteral("с 00:00:00 до 01:00:00 (60.0 мин): ждёт: подходят 0 из 1 узлов: 1 — не хватает GPU")),
        qPrintable(window_->explanation()), 20'000);
    session_->useLanguage(QStringLiteral("zh_CN"));
    window_->action(QStringLiteral("explain"))->trigger();
    QTRY_VERIFY2_WITH_TIMEOUT(window_->explanation().contains(QStringLiteral(
                                  "web-1 待调度，自 00:00:00 起 60.0 min：1 个节点中 0 个合适：1 个GPU 不足")),
                              qPrintable(window_->explanation()), 20'000);
  }

  void whatHappenedToARetrainingIsToldInTheLanguageOfTheWindow()
  {
    session_->useLanguage(QStringLiteral("ru"));
    run(tests::example_text(QStringLiteral("retraining"))
            .replace(QStringLiteral("until: 30 d"), QStringLiteral("until: 3 d")));
    emit window_->resultsView()->explainRequested(QStringLiteral("job"), QStringLiteral("faces-1"), {});
    QTRY_VERIFY2_WITH_TIMEOUT(
        window_->explanation().contains(QStringLiteral("service → planner  faces нуждается в переобучении")),
        qPrintable(window_->explanation()), 20'000);
    for (const char* words : {"обучение начинается на 8 GPU", "развёрнуто через ", "решение в "})
      QVERIFY2(window_->explanation().contains(QString::fromUtf8(words)),
               qPrintable(window_->explanation().right(800)));
    for (const char* words : {"needed", "checksum", "script has", "training", "decision"})
      QVERIFY2(!window_->explanation().contains(QLatin1String(words)), words);
  }

private:
  /// Runs a scenario and waits until its results are shown.
  void run(const QString& text)
  {
    const Results before = window_->resultsView()->results();
    session_->document.openText(text, QStringLiteral("told.yaml"), fixture_->folder.path());
    window_->action(QStringLiteral("run"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(window_->resultsView()->results() && window_->resultsView()->results() != before, 60'000);
  }

  std::unique_ptr<tests::WindowFixture> fixture_;
  Session* session_ = nullptr;
  MainWindow* window_ = nullptr;
};

QTEST_MAIN(SentencesTest)
#include "sentences_test.moc"
