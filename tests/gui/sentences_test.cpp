// SPDX-License-Identifier: Apache-2.0
/// Sentences that simrun writes are shown in the language of the window, and word for word in English.
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

  void cellsOfTablesAreTranslatedWhereTheyAreSentences()
  {
    const QString reason = QStringLiteral("fewer GPUs free than it needs");
    QCOMPARE(cell_words(QStringLiteral("reason"), reason), reason);
    session_->useLanguage(QStringLiteral("ru"));
    QCOMPARE(cell_words(QStringLiteral("reason"), reason), QStringLiteral("свободно меньше GPU, чем ему нужно"));
    QCOMPARE(cell_words(QStringLiteral("bottleneck"), QStringLiteral("NIC of ps-0: 98 % busy")),
             QStringLiteral("сетевая карта ps-0: занята на 98 %"));
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
  }

private:
  std::unique_ptr<tests::WindowFixture> fixture_;
  Session* session_ = nullptr;
  MainWindow* window_ = nullptr;
};

QTEST_MAIN(SentencesTest)
#include "sentences_test.moc"
