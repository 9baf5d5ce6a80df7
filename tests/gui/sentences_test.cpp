// SPDX-License-Identifier: Apache-2.0
/// Sentences that simrun writes are shown in the language of the window, and word for word in English.
#include "gui/results/explanation.hpp"
#include "gui/results/result_words.hpp"
#include "gui/results/results_view.hpp"
#include "models/scenario/assumptions.hpp"
#include "tests/gui/window_fixture.hpp"

#include <QAction>
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

/// As simrun writes it, from advice() of sim/report and advice_of() of sim/sources/queue.
const QString ring_wins = QStringLiteral("vgg16: ring wins from 1 GPU on; at 16 with 1,219 images/s, 35.6 times ps:8 "
                                         "async, whose bottleneck is NIC of ps-2: 88 % busy.");
const QString queue_answer =
    QStringLiteral("lowest mean completion time: srtf (259 min; 443 min under fifo): a job starts 206 min sooner than "
                   "under fifo, and waits 21.1 min longer after being preempted; 64 % of the waiting time under fifo "
                   "has this reason: a job before it in the queue is blocked.\n"
                   "  it preempts running jobs 971 times; starts, preemptions cost 96.8 GPU-hours without progress; "
                   "higher costs of preemption (scheduling.checkpoint_cost, restart_cost) may change the answer.");

/// As `simrun explain` writes it: of a training, and of a job that waited.
const QString explained_training =
    QStringLiteral("vgg16, ps:1 sync, 8 GPUs  [workers=8]\n"
                   "  14.5 images/s, step 17.7 s, 1 % of linear scaling; bottleneck: NIC of ps-0: 50 % busy\n"
                   "\n"
                   "  critical path of one step\n"
                   "    role         time  waited  where               what\n"
                   "    pull       8.85 s       -  worker-1 from ps-0  pull conv5 … pull conv1 (32 operations)\n"
                   "    backward  64.3 us       -  worker-1 compute    backward fc8\n"
                   "\n"
                   "assumed: precision fp32; restart delay 10 s\n");
const QString explained_job = QStringLiteral(
    "job 66 (32 GPUs, platform-0) under fifo: submitted at 16:24:10, started at day 2 03:45:46, 11.4 h later\n"
    "  from 16:24:10 to day 2 03:45:46 (11.4 h): fewer GPUs free than it needs (32 needed, 10 free); down meanwhile: "
    "n-0 n-1 (rack 0, from 16:10:00 to 17:40:00), n-3 (since 17:00:00); planned to start at day 2 01:00:00\n"
    "  mostly (100 % of its waiting): fewer GPUs free than it needs\n"
    "  2 jobs that were submitted after it were on GPUs while it waited; without them 32 GPUs would have been free at "
    "17:41:34, 10.1 h earlier\n");
const QString explained_task =
    QStringLiteral("  train-2 pending from 02:00:30 for 60.0 min: 0/3 nodes fit: 2 insufficient "
                   "gpu, 1 down\n"
                   "  from 00:01:55 to 00:20:00 (18.1 min): running on node-1\n");

const QString explained_retraining =
    QStringLiteral("faces-3 under wait(limit=1 h): needed at day 3 00:00:00, deployed after 255 min\n"
                   "  upload 27.6 min + confirm 248 s = 31.7 min\n"
                   "  day 3 00:00:00   service → planner   faces needs retraining\n"
                   "  day 3 00:31:44   cluster ·           the training fails after 40.0 s\n"
                   "  decision at day 3 00:31:44: start faces-3, it is the only one in the queue\n"
                   "    queue:    faces-3 (priority 2)\n"
                   "    load:     12 of 24 GPUs busy\n");

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
  }

  void cleanupTestCase() { fixture_.reset(); }

  void cleanup() { session_->useLanguage(QStringLiteral("en")); }

  void answersAreTranslatedWithTheirParts()
  {
    session_->useLanguage(QStringLiteral("ru"));
    QCOMPARE(answer_words(ring_wins),
             QStringLiteral("vgg16: ring выигрывает начиная с 1 GPU; на 16 — 1,219 изображений/с, в 35.6 раза больше, "
                            "чем ps:8 async, у которого узкое место — сетевая карта ps-2: занята на 88 %."));
    QCOMPARE(answer_words(queue_answer),
             QStringLiteral("наименьшее среднее время выполнения: srtf (259 мин; при fifo — 443 мин): задание "
                            "начинается на 206 мин раньше, чем при fifo, и ждёт на 21.1 мин дольше после вытеснения; "
                            "64 % времени ожидания при fifo имеет причину: задание перед ним в очереди не может "
                            "начаться.\n  выполняющиеся задания вытесняются 971 раз; запуски и вытеснения стоят 96.8 "
                            "GPU-часов без продвижения; при более дорогом вытеснении (scheduling.checkpoint_cost, "
                            "restart_cost) ответ может измениться."));
    QCOMPARE(basis_words(QStringLiteral("vgg16: compute from the data sheet of V100-SXM2-16GB (roofline), network from "
                                        "the catalogue")),
             QStringLiteral("vgg16: вычисления по паспорту V100-SXM2-16GB (roofline), сеть из каталога"));
    session_->useLanguage(QStringLiteral("zh_CN"));
    QCOMPARE(answer_words(QStringLiteral("variant=swarm: 1 failure hit 2 tasks; 2 tasks never came back.")),
             QStringLiteral("variant=swarm：故障 1 次，波及 2 个任务；2 个任务再也没有恢复。"));
    QCOMPARE(
        answer_words(QStringLiteral("1 failure hit 2 tasks; train is not done, because train/worker-0 does not run: "
                                    "0/4 nodes fit: 1 down, 3 insufficient gpu.")),
        QStringLiteral("故障 1 次，波及 2 个任务；train 未完成，因为 train/worker-0 没有运行：4 个节点中 0 个合适：1 "
                       "个停机, 3 个GPU 不足。"));
  }

  void thePartsOfAnAnswerAreToldApart()
  {
    // The commas of one part do not end it: the last two belong to models that are deployed and hours that are wasted.
    session_->useLanguage(QStringLiteral("ru"));
    QCOMPARE(answer_words(QStringLiteral(
                 "allow serves the freshest models: their data are 1.01 periods old on average, compared with 1.31 for "
                 "replace; the models are stale 47.5 % of the time, compared with 46.6 %, 495 models are deployed, "
                 "compared with 337, 229 GPU-hours are wasted, compared with 3,803.")),
             QStringLiteral("allow даёт самые свежие модели: их данным в среднем 1.01 периода против 1.31 у replace; "
                            "модели устаревают на 47.5 % времени против 46.6 %, развёрнуто 495 моделей против 337, "
                            "впустую потрачено 229 GPU-часов против 3,803."));
  }

  void checkpointsOfAJobThatFailsByChanceAreTranslated()
  {
    session_->useLanguage(QStringLiteral("ru"));
    for (const char* rest :
         {"every 72.2 min; a failure stops the job every 18.1 h in the mean: best every 72.2 min (Daly's formula), "
          "expected 14.2 h without waiting for machines",
          "every 20.0 s; a failure stops the job every 300 s in the mean: best every 20.0 s (the time to write one; "
          "12.0 "
          "s by Daly's formula), expected 14.2 h without waiting for machines",
          "every 20.0 s instead of 10 s, as each begins when the last one is written; a failure stops the job every "
          "300 "
          "s in the mean: best every 20.0 s (the time to write one; 12.0 s by Daly's formula), expected 14.2 h without "
          "waiting for machines",
          "every 20.0 s instead of 10 s, as each begins when the last one is written; a failure stops the job every "
          "18.1 "
          "h in the mean: best every 72.2 min (Daly's formula), expected 14.2 h without waiting for machines",
          "none is written; a failure stops the job every 18.1 h in the mean: best every 72.2 min (Daly's formula)"}) {
      const QString words =
          explained_line_words(QStringLiteral("  checkpoint: 4.022 GB in 40.2 s, ") + QLatin1String(rest));
      QVERIFY2(!words.contains(QStringLiteral("failure")), qPrintable(words));
    }
    session_->useLanguage(QStringLiteral("en"));
  }

  void cellsOfTablesAreTranslatedWhereTheyAreSentences()
  {
    const QString reason = QStringLiteral("fewer GPUs free than it needs");
    QCOMPARE(cell_words(QStringLiteral("reason"), reason), reason);
    session_->useLanguage(QStringLiteral("ru"));
    QCOMPARE(cell_words(QStringLiteral("reason"), reason), QStringLiteral("свободно меньше GPU, чем ему нужно"));
    QCOMPARE(cell_words(QStringLiteral("bottleneck"), QStringLiteral("NIC of ps-0: 98 % busy")),
             QStringLiteral("сетевая карта ps-0: занята на 98 %"));
    QCOMPARE(cell_words(QStringLiteral("bottleneck"), QStringLiteral("NIC of box-0, shared by 10 jobs: 98 % busy")),
             QStringLiteral("сетевая карта box-0, общая для 10 заданий: занята на 98 %"));
    QCOMPARE(cell_words(QStringLiteral("job"), reason), reason); // a name
    QVERIFY(reason_texts().contains(QStringLiteral("свободно меньше GPU, чем ему нужно")));
  }

  void englishStaysWordForWord()
  {
    for (const QString& answer : {ring_wins, queue_answer, QString{}})
      QCOMPARE(answer_words(answer), answer);
    for (const char* assumed : {"precision fp32", "40 us of the host per operator", "restart delay 10 s",
                                "images are there already", "TensorFlow 1.x, graphs"})
      QCOMPARE(assumed_words(QLatin1String(assumed)), QLatin1String(assumed));
  }

  void explanationsAreTranslatedLineByLine()
  {
    session_->useLanguage(QStringLiteral("ru"));
    QCOMPARE(
        explanation_words(explained_job),
        QStringLiteral(
            "задание 66 (32 GPU, platform-0) при fifo: отправлено в 16:24:10, начато в день 2 03:45:46, через "
            "11.4 ч\n"
            "  с 16:24:10 до день 2 03:45:46 (11.4 ч): свободно меньше GPU, чем ему нужно (нужно 32, свободно 10); "
            "тем временем не работали: n-0 n-1 (rack 0, с 16:10:00 до 17:40:00), n-3 (с 17:00:00); начало "
            "запланировано на день 2 01:00:00\n"
            "  в основном (100 % ожидания): свободно меньше GPU, чем ему нужно\n"
            "  пока оно ждало, на GPU работали задания, отправленные позже: 2; без них 32 GPU были бы свободны в "
            "17:41:34, на 10.1 ч раньше\n"));
    QCOMPARE(explanation_words(explained_retraining),
             QStringLiteral("faces-3 при wait(limit=1 h): нужно в день 3 00:00:00, развёрнуто через 255 мин\n"
                            "  загрузка данных 27.6 мин + подтверждение 248 с = 31.7 мин\n"
                            "  день 3 00:00:00   service → planner   faces нуждается в переобучении\n"
                            "  день 3 00:31:44   cluster ·           обучение прерывается отказом через 40.0 с\n"
                            "  решение в день 3 00:31:44: начать faces-3, оно одно в очереди\n"
                            "    очередь:   faces-3 (priority 2)\n"
                            "    загрузка:  занято 12 из 24 GPU\n"));
    session_->useLanguage(QStringLiteral("zh_CN"));
    QCOMPARE(explanation_words(explained_task),
             QStringLiteral("  train-2 待调度，自 02:00:30 起 60.0 min：3 个节点中 0 个合适：2 个GPU 不足, 1 个停机\n"
                            "  00:01:55 至 00:20:00（18.1 min）：运行中，在 node-1 上\n"));
  }

  void tablesOfExplanationsStayTables()
  {
    // Each column is as wide as its longest cell, right where it was right: "получение" is wider than "backward".
    session_->useLanguage(QStringLiteral("ru"));
    QCOMPARE(
        explanation_words(explained_training),
        QStringLiteral("vgg16, ps:1 sync, 8 GPU  [workers=8]\n"
                       "  14.5 изображений/с, шаг 17.7 с, 1 % линейного масштабирования; узкое место: сетевая "
                       "карта ps-0: занята на 50 %\n"
                       "\n"
                       "  критический путь одного шага\n"
                       "    роль          время  ждал  где                   что\n"
                       "    получение    8.85 с     -  worker-1 от ps-0      pull conv5 … pull conv1 (операций: 32)\n"
                       "    обратный   64.3 мкс     -  worker-1: вычисления  backward fc8\n"
                       "\n"
                       "принято: точность fp32; задержка перезапуска 10 с\n"));
    // A Chinese letter takes two columns of a terminal: 前 and 向 stand over "back".
    session_->useLanguage(QStringLiteral("zh_CN"));
    QCOMPARE(explanation_words(QStringLiteral("    role      time\n    backward  10 ms\n")),
             QStringLiteral("    角色  时间\n    反向  10 ms\n"));
  }

  void failuresOfAJobAreTold()
  {
    session_->useLanguage(QStringLiteral("ru"));
    QCOMPARE(explanation_words(QStringLiteral(
                 "train with failures: done after 585 s instead of 480 s, goodput 82.1 %; 1 failure of the job, no "
                 "spare machine\n"
                 "  box-1 after 250 s: stops the job, 30.0 s are redone; all train again after 35.0 s\n")),
             QStringLiteral("train с отказами: закончено через 585 с вместо 480 с, полезная доля 82.1 %; задание: "
                            "отказов: 1, запасных машин нет\n"
                            "  box-1 через 250 с: останавливает задание, повторяется 30.0 с; все снова обучают через "
                            "35.0 с\n"));
    QCOMPARE(
        warning_words(QStringLiteral("job 'train' never ends: box-1 is not repaired and there is no spare machine")),
        QStringLiteral("задание 'train' никогда не закончится: box-1 не ремонтируется, и запасной машины нет"));
  }

  void anExplanationIsAPage()
  {
    // A heading, a title and two bars of 180 px, of which nine of thirty parts are 54 px and nothing is nothing.
    ExplanationPage page;
    page.setExplanation(QStringLiteral("vgg16, ring, 64 GPUs  [workers=64]\n  parts of the critical worker's step\n"
                                       "    compute  #########.....................  151 ms (30 %)\n"
                                       "    input    ..............................  0 (0 %)\n"));
    const QString text = page.toPlainText(), laid_out = page.toHtml();
    QVERIFY2(!text.contains(QLatin1String("#")) && !text.contains(QLatin1String("...")), qPrintable(text));
    QVERIFY2(text.contains(QLatin1String("151 ms (30 %)")), qPrintable(text));
    QVERIFY(laid_out.contains(QLatin1String("<h3")) && laid_out.contains(QLatin1String("<h4")));
    for (const char* width : {"width=\"54\"", "width=\"126\"", "width=\"180\""})
      QVERIFY2(laid_out.contains(QLatin1String(width)), qPrintable(laid_out));
    // Two events are rows of three cells; what follows the decision, two rows of two.
    page.setExplanation(explained_retraining);
    QCOMPARE(page.toHtml().count(QLatin1String("<td ")), 2 * 3 + 2 * 2);
    session_->useLanguage(QStringLiteral("ru"));
    page.setExplanation(QStringLiteral("    compute  151 ms (30 %)\n"));
    QVERIFY2(page.toPlainText().contains(QStringLiteral("151 мс (30 %)")), qPrintable(page.toPlainText()));
    QVERIFY(page.words().contains(QStringLiteral("151 мс (30 %)")));
  }

  void warningsAreTranslated()
  {
    session_->useLanguage(QStringLiteral("ru"));
    QCOMPARE(
        warning_words(QStringLiteral("'memory' has no effect: no job computes on CPUs (training: device: cpu), and "
                                     "there is no queue")),
        QStringLiteral("'memory' не действует: ни одно задание не считает на CPU (training: device: cpu), и очереди "
                       "нет"));
    QCOMPARE(
        warning_words(QStringLiteral("'collective_channels' has no effect with transport gloo, whose collectives run "
                                     "on the hosts and take no multiprocessors; leave it out")),
        QStringLiteral("'collective_channels' не действует с транспортом gloo: его коллективные операции "
                       "выполняются на хостах и не занимают мультипроцессоров; уберите этот ключ"));
    QCOMPARE(warning_words(QStringLiteral("calibration 'lab': stale: measured 400 days ago")),
             QStringLiteral("калибровка 'lab': устарела: измерена 400 дн. назад"));
    QCOMPARE(
        warning_words(QStringLiteral("workers=4: all machines do the same: 2 of the 64 were simulated; the figures "
                                     "are those of all, and links.csv and traffic.csv list the 2")),
        QStringLiteral("workers=4: все машины делают одно и то же: смоделировано 2 из 64; цифры относятся ко всем, "
                       "а links.csv и traffic.csv содержат 2"));
    QCOMPARE(warning_words(QStringLiteral("a warning of a later version")),
             QStringLiteral("a warning of a later version"));
  }

  void explanationsStayWordForWordInEnglish()
  {
    for (const QString& text : {explained_training, explained_job, explained_task, explained_retraining})
      QCOMPARE(explanation_words(text), text);
  }

  void aSentenceWithoutAFormStaysEnglishAsAWhole()
  {
    session_->useLanguage(QStringLiteral("ru"));
    for (const char* answer :
         {"a sentence of a later version.", "variant=swarm: 1 failure hit 2 tasks; something of a later version."})
      QCOMPARE(answer_words(QLatin1String(answer)), QLatin1String(answer));
    QCOMPARE(assumed_words(QStringLiteral("TensorFlow 1.x, graphs")), QStringLiteral("TensorFlow 1.x, graphs"));
  }

  void everyAssumptionOfTheTableHasAText()
  {
    for (const char* language : {"ru", "zh_CN"}) {
      session_->useLanguage(QLatin1String(language));
      for (const trainyard::Assumption& assumption : trainyard::assumptions()) {
        const QString text = QString::fromStdString(std::string{assumption.words}).replace(QLatin1String("{}"), "7 ms");
        if (text != QLatin1String("7 ms"))
          QVERIFY2(assumed_words(text) != text, qPrintable(QLatin1String(language) + QStringLiteral(": ") + text));
      }
    }
    session_->useLanguage(QStringLiteral("ru"));
    QCOMPARE(assumed_words(QStringLiteral("restart delay 10 s")), QStringLiteral("задержка перезапуска 10 с"));
    QCOMPARE(assumed_words(QStringLiteral("restart always")), QStringLiteral("перезапуск always"));
    // Where only some machines or jobs have it, their name stands behind.
    for (const char* words : {"8 CPU cores per machine", "no price of machines", "restart delay 10 s"})
      QCOMPARE(assumed_words(QLatin1String(words) + QStringLiteral(" (server)")),
               assumed_words(QLatin1String(words)) + QStringLiteral(" (server)"));
    QVERIFY(assumed_words(QStringLiteral("no price of machines")) != QStringLiteral("no price of machines"));
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

private:
  std::unique_ptr<tests::WindowFixture> fixture_;
  Session* session_ = nullptr;
  MainWindow* window_ = nullptr;
};

QTEST_MAIN(SentencesTest)
#include "sentences_test.moc"
