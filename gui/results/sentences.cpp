// SPDX-License-Identifier: Apache-2.0
// Sentences of simrun in the language of the window. simrun writes them in English; here are their forms, and the .ts
// files have a text for each. A sentence of another form stays as it is.
#include "gui/results/result_words.hpp"

#include "gui/core/rate_text.hpp"
#include "models/scenario/assumptions.hpp"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>
#include <QVector>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>

namespace trainyard::gui {
namespace {

/// What a form is a form of, and what fills a place: a name and a number stay, a figure gets the unit of the language,
/// a sample its word; all others are forms again.
enum class Phrase {
  name,
  number,
  figure,
  sample,
  bottleneck,
  comparison,
  gpus,
  win,
  winner,
  calibration,
  computing,
  networking,
  basis,
  reason,
  start,
  gain,
  difference,
  failures,
  tasks,
  event,
  events,
  segment,
  fresh,
  deploying,
  wasting,
  fresher,
  left_out,
  measure,
  without,
  line,
  assumed
};

/// %1 to %7 are places; each is filled by its kind.
struct SentenceForm {
  Phrase kind;
  const char* text;
  std::array<Phrase, 7> places{};
};

// Long, but a table: one declaration a line. Where several fit, the first one counts.
constexpr SentenceForm sentence_forms[]{
    // What holds a job back. Those that begin with a name stand last.
    {Phrase::bottleneck, QT_TRANSLATE_NOOP("Results", "GPU compute: %1 of the step"), {Phrase::name}},
    {Phrase::bottleneck,
     QT_TRANSLATE_NOOP("Results", "host starting operators: %1 of the step, in which the GPU computes %2"),
     {Phrase::name, Phrase::name}},
    {Phrase::bottleneck, QT_TRANSLATE_NOOP("Results", "message latency: links at most %1 busy"), {Phrase::name}},
    {Phrase::bottleneck, QT_TRANSLATE_NOOP("Results", "input pipeline: %1 of the step"), {Phrase::name}},
    {Phrase::bottleneck, QT_TRANSLATE_NOOP("Results", "waiting for other workers: %1 of the step"), {Phrase::name}},
    {Phrase::bottleneck, QT_TRANSLATE_NOOP("Results", "nothing: the step takes no time"), {}},
    {Phrase::bottleneck, QT_TRANSLATE_NOOP("Results", "launching kernels (%1 of the step)"), {Phrase::name}},
    {Phrase::bottleneck, QT_TRANSLATE_NOOP("Results", "tensor-parallel collectives (%1 of the step)"), {Phrase::name}},
    {Phrase::bottleneck, QT_TRANSLATE_NOOP("Results", "exchange of keys and values (%1 of the step)"), {Phrase::name}},
    {Phrase::bottleneck, QT_TRANSLATE_NOOP("Results", "all-to-all of experts (%1 of the step)"), {Phrase::name}},
    {Phrase::bottleneck,
     QT_TRANSLATE_NOOP("Results", "gradients and weights between replicas (%1 of the step)"),
     {Phrase::name}},
    {Phrase::bottleneck, QT_TRANSLATE_NOOP("Results", "pipeline bubble (%1 of the step)"), {Phrase::name}},
    {Phrase::bottleneck, QT_TRANSLATE_NOOP("Results", "messages between stages (%1 of the step)"), {Phrase::name}},
    {Phrase::bottleneck, QT_TRANSLATE_NOOP("Results", "optimiser (%1 of the step)"), {Phrase::name}},
    {Phrase::bottleneck, QT_TRANSLATE_NOOP("Results", "compute"), {}},
    {Phrase::bottleneck, QT_TRANSLATE_NOOP("Results", "not known"), {}},
    {Phrase::bottleneck,
     QT_TRANSLATE_NOOP("Results", "NIC of %1: %2 busy out, %3 in"),
     {Phrase::name, Phrase::name, Phrase::name}},
    {Phrase::bottleneck, QT_TRANSLATE_NOOP("Results", "NIC of %1: %2 busy"), {Phrase::name, Phrase::name}},
    {Phrase::bottleneck, QT_TRANSLATE_NOOP("Results", "NIC of %1 (out)"), {Phrase::name}},
    {Phrase::bottleneck, QT_TRANSLATE_NOOP("Results", "NIC of %1 (in)"), {Phrase::name}},
    {Phrase::bottleneck, QT_TRANSLATE_NOOP("Results", "CPU of %1: %2 busy"), {Phrase::name, Phrase::name}},
    {Phrase::bottleneck,
     QT_TRANSLATE_NOOP("Results", "%1: %2 busy out, %3 in"),
     {Phrase::name, Phrase::name, Phrase::name}},
    {Phrase::bottleneck, QT_TRANSLATE_NOOP("Results", "%1: %2 busy"), {Phrase::name, Phrase::name}},
    // Answers of training.
    {Phrase::comparison,
     QT_TRANSLATE_NOOP("Results", "%1 %2s/s, %3 times %4, whose bottleneck is %5"),
     {Phrase::number, Phrase::sample, Phrase::number, Phrase::name, Phrase::bottleneck}},
    {Phrase::comparison,
     QT_TRANSLATE_NOOP("Results", "%1 %2s/s, %3 % more than %4, whose bottleneck is %5"),
     {Phrase::number, Phrase::sample, Phrase::number, Phrase::name, Phrase::bottleneck}},
    {Phrase::gpus, QT_TRANSLATE_NOOP("Results", "%1 GPU"), {Phrase::number}},
    {Phrase::gpus, QT_TRANSLATE_NOOP("Results", "%1 GPUs"), {Phrase::number}},
    {Phrase::win,
     QT_TRANSLATE_NOOP("Results", "%1: %2 wins from %3 on; at %4 with %5"),
     {Phrase::name, Phrase::name, Phrase::gpus, Phrase::number, Phrase::comparison}},
    {Phrase::win,
     QT_TRANSLATE_NOOP("Results", "%1: %2 wins at %3 GPUs with %4"),
     {Phrase::name, Phrase::name, Phrase::number, Phrase::comparison}},
    {Phrase::win,
     QT_TRANSLATE_NOOP("Results", "%1: %2 wins with %3"),
     {Phrase::name, Phrase::name, Phrase::comparison}},
    {Phrase::winner,
     QT_TRANSLATE_NOOP("Results", "%1; with fewer GPUs %2 wins: at %3 GPUs with %4"),
     {Phrase::win, Phrase::name, Phrase::number, Phrase::comparison}},
    {Phrase::winner, "%1", {Phrase::win}},
    // What the times of a job are based on.
    {Phrase::calibration,
     QT_TRANSLATE_NOOP("Results", "measured (calibration '%1' of %2)"),
     {Phrase::name, Phrase::name}},
    {Phrase::calibration,
     QT_TRANSLATE_NOOP("Results", "from a data sheet (calibration '%1' of %2)"),
     {Phrase::name, Phrase::name}},
    {Phrase::computing, QT_TRANSLATE_NOOP("Results", "compute from the data sheet of %1 (roofline)"), {Phrase::name}},
    {Phrase::computing,
     QT_TRANSLATE_NOOP("Results", "compute from the rate of the CPUs of %1 (roofline)"),
     {Phrase::name}},
    {Phrase::computing, QT_TRANSLATE_NOOP("Results", "single-GPU step of %1 given by the scenario"), {Phrase::figure}},
    {Phrase::computing,
     QT_TRANSLATE_NOOP("Results", "compute from kernel rates of %1 %2"),
     {Phrase::name, Phrase::calibration}},
    {Phrase::networking, QT_TRANSLATE_NOOP("Results", "network from the catalogue"), {}},
    {Phrase::networking, QT_TRANSLATE_NOOP("Results", "transport %1 %2"), {Phrase::name, Phrase::calibration}},
    {Phrase::basis, QT_TRANSLATE_NOOP("Results", "%1: %2, %3"), {Phrase::name, Phrase::computing, Phrase::networking}},
    // Why a job waits.
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "nothing"), {}},
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "a job before it in the queue is blocked"), {}},
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "fewer GPUs free than it needs"), {}},
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "enough GPUs are free, but not on machines where the gang fits"), {}},
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "machines with free GPUs have too little CPU"), {}},
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "machines with free GPUs have too little memory"), {}},
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "the free GPUs are of another type"), {}},
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "the free GPUs are further apart than the policy allows yet"), {}},
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "its team has used its quota"), {}},
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "starting it would delay a reserved job"), {}},
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "the policy gives the GPUs to other jobs"), {}},
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "a job it depends on has not ended"), {}},
    {Phrase::reason,
     QT_TRANSLATE_NOOP("Results", "the job that was stopped for it still saves its state on these GPUs"),
     {}},
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "the policy has not run since"), {}},
    {Phrase::reason,
     QT_TRANSLATE_NOOP("Results", "it needs more than the whole cluster has, or something that no machine offers"),
     {}},
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "it ran out of GPU memory repeatedly"), {}},
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "the reason changed too many times to list"), {}},
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "its QOS has as many jobs running as it may (QOSGrpJobsLimit)"), {}},
    {Phrase::reason,
     QT_TRANSLATE_NOOP("Results", "its user has as many jobs of this QOS running as allowed (QOSMaxJobsPerUserLimit)"),
     {}},
    {Phrase::reason,
     QT_TRANSLATE_NOOP("Results", "its QOS allows only shorter jobs (QOSMaxWallDurationPerJobLimit)"),
     {}},
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "its QOS would hold more GPUs than it may (QOSGrpGRES)"), {}},
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "its QOS allows fewer GPUs in one job (QOSMaxGRESPerJob)"), {}},
    {Phrase::reason,
     QT_TRANSLATE_NOOP("Results", "its account would hold more GPUs in this QOS than allowed (MaxGRESPerAccount)"),
     {}},
    {Phrase::reason,
     QT_TRANSLATE_NOOP("Results", "its user would hold more GPUs in this QOS than allowed (QOSMaxGRESPerUser)"),
     {}},
    {Phrase::reason,
     QT_TRANSLATE_NOOP("Results", "its QOS had as many jobs submitted as it may (QOSGrpSubmitJobsLimit)"),
     {}},
    {Phrase::reason,
     QT_TRANSLATE_NOOP("Results",
                       "its user had as many jobs of this QOS submitted as allowed (QOSMaxSubmitJobPerUserLimit)"),
     {}},
    {Phrase::reason,
     QT_TRANSLATE_NOOP("Results",
                       "its account, or one above it, has as many jobs running as it may (AssocGrpJobsLimit)"),
     {}},
    {Phrase::reason,
     QT_TRANSLATE_NOOP("Results", "its user has as many jobs of this account running as allowed (AssocMaxJobsLimit)"),
     {}},
    {Phrase::reason,
     QT_TRANSLATE_NOOP("Results", "its account allows only shorter jobs (AssocMaxWallDurationPerJobLimit)"),
     {}},
    {Phrase::reason,
     QT_TRANSLATE_NOOP("Results", "its account, or one above it, would hold more GPUs than it may (AssocGrpGRES)"),
     {}},
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "its account allows fewer GPUs in one job (AssocMaxGRESPerJob)"), {}},
    {Phrase::reason,
     QT_TRANSLATE_NOOP("Results",
                       "its account, or one above it, had as many jobs submitted as it may (AssocGrpSubmitJobsLimit)"),
     {}},
    {Phrase::reason,
     QT_TRANSLATE_NOOP("Results",
                       "its user had as many jobs of this account submitted as allowed (AssocMaxSubmitJobLimit)"),
     {}},
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "its partition allows only shorter jobs (PartitionTimeLimit)"), {}},
    {Phrase::reason,
     QT_TRANSLATE_NOOP("Results", "as many jobs of its array run as may at once (JobArrayTaskLimit)"),
     {}},
    {Phrase::reason, QT_TRANSLATE_NOOP("Results", "unknown"), {}},
    // Answers of a queue.
    {Phrase::start,
     QT_TRANSLATE_NOOP("Results", "a job starts %1 sooner than under %2"),
     {Phrase::figure, Phrase::name}},
    {Phrase::start,
     QT_TRANSLATE_NOOP("Results", "a job starts %1 later than under %2"),
     {Phrase::figure, Phrase::name}},
    {Phrase::gain,
     QT_TRANSLATE_NOOP("Results", "%1, and waits %2 longer after being preempted"),
     {Phrase::start, Phrase::figure}},
    {Phrase::gain,
     QT_TRANSLATE_NOOP("Results", "%1, and waits %2 less after being preempted"),
     {Phrase::start, Phrase::figure}},
    {Phrase::gain, "%1", {Phrase::start}},
    {Phrase::difference,
     QT_TRANSLATE_NOOP("Results", "%1; %2 of the waiting time under %3 has this reason: %4"),
     {Phrase::gain, Phrase::name, Phrase::name, Phrase::reason}},
    {Phrase::difference, "%1", {Phrase::gain}},
    // Answers of services.
    {Phrase::failures, QT_TRANSLATE_NOOP("Results", "%1 failure"), {Phrase::number}},
    {Phrase::failures, QT_TRANSLATE_NOOP("Results", "%1 failures"), {Phrase::number}},
    {Phrase::tasks, QT_TRANSLATE_NOOP("Results", "%1 task"), {Phrase::number}},
    {Phrase::tasks, QT_TRANSLATE_NOOP("Results", "%1 tasks"), {Phrase::number}},
    {Phrase::event, QT_TRANSLATE_NOOP("Results", "no failures"), {}},
    {Phrase::event, QT_TRANSLATE_NOOP("Results", "%1 hit %2"), {Phrase::failures, Phrase::tasks}},
    {Phrase::event,
     QT_TRANSLATE_NOOP("Results", "%1 waits %2 of its time for input from the shared storage"),
     {Phrase::name, Phrase::name}},
    {Phrase::event,
     QT_TRANSLATE_NOOP("Results", "%1 to recover on average, %2 at worst"),
     {Phrase::figure, Phrase::figure}},
    {Phrase::event, QT_TRANSLATE_NOOP("Results", "%1 never came back"), {Phrase::tasks}},
    {Phrase::event,
     QT_TRANSLATE_NOOP("Results", "of %1 GPU-h held %2 were useful, %3 were lost and repeated, %4 were stalled, %5 "
                                  "were spent on starting and loading, %6 GPU-h were held by orphaned processes"),
     {Phrase::number, Phrase::name, Phrase::name, Phrase::name, Phrase::name, Phrase::number}},
    {Phrase::event,
     QT_TRANSLATE_NOOP("Results", "of %1 GPU-h held %2 were useful, %3 were lost and repeated, %4 were stalled, %5 "
                                  "were spent on starting and loading"),
     {Phrase::number, Phrase::name, Phrase::name, Phrase::name, Phrase::name}},
    {Phrase::event, QT_TRANSLATE_NOOP("Results", "$%1 for the machines"), {Phrase::number}},
    {Phrase::events, QT_TRANSLATE_NOOP("Results", "%1; %2"), {Phrase::event, Phrase::events}},
    {Phrase::events, "%1", {Phrase::event}},
    // Answers of retraining.
    {Phrase::segment, QT_TRANSLATE_NOOP("Results", "need"), {}},
    {Phrase::segment, QT_TRANSLATE_NOOP("Results", "upload"), {}},
    {Phrase::segment, QT_TRANSLATE_NOOP("Results", "confirm"), {}},
    {Phrase::segment, QT_TRANSLATE_NOOP("Results", "queue"), {}},
    {Phrase::segment, QT_TRANSLATE_NOOP("Results", "train"), {}},
    {Phrase::segment, QT_TRANSLATE_NOOP("Results", "save"), {}},
    {Phrase::segment, QT_TRANSLATE_NOOP("Results", "detect"), {}},
    {Phrase::segment, QT_TRANSLATE_NOOP("Results", "download"), {}},
    {Phrase::segment, QT_TRANSLATE_NOOP("Results", "deploy"), {}},
    {Phrase::fresh,
     QT_TRANSLATE_NOOP("Results",
                       "%1 serves the freshest models and starves no model: their data are %2 periods old on average, "
                       "compared with %3 for %4; the models are stale %5 of the time, compared with %6"),
     {Phrase::name, Phrase::number, Phrase::number, Phrase::name, Phrase::name, Phrase::name}},
    {Phrase::fresh,
     QT_TRANSLATE_NOOP("Results", "%1 serves the freshest models: their data are %2 periods old on average, compared "
                                  "with %3 for %4; the models are stale %5 of the time, compared with %6"),
     {Phrase::name, Phrase::number, Phrase::number, Phrase::name, Phrase::name, Phrase::name}},
    {Phrase::fresh,
     QT_TRANSLATE_NOOP("Results", "%1 and %2 serve equally fresh models: their data are %3 periods old on average; the "
                                  "models are stale %4 of the time with %5, %6 with %7"),
     {Phrase::name, Phrase::name, Phrase::number, Phrase::name, Phrase::name, Phrase::name, Phrase::name}},
    {Phrase::fresh,
     QT_TRANSLATE_NOOP("Results", "%1 and %2 serve equally fresh models: their data are %3 periods old on average; the "
                                  "models are stale %4 of the time"),
     {Phrase::name, Phrase::name, Phrase::number, Phrase::name}},
    {Phrase::deploying,
     QT_TRANSLATE_NOOP("Results", "%1, %2 models are deployed, compared with %3"),
     {Phrase::fresh, Phrase::number, Phrase::number}},
    {Phrase::deploying, "%1", {Phrase::fresh}},
    {Phrase::wasting,
     QT_TRANSLATE_NOOP("Results", "%1, %2 GPU-hours are wasted, compared with %3"),
     {Phrase::deploying, Phrase::number, Phrase::number}},
    {Phrase::wasting, "%1", {Phrase::deploying}},
    {Phrase::fresher,
     QT_TRANSLATE_NOOP("Results", "%1; %2 is almost as good (%3 periods) and wastes no GPU-hours"),
     {Phrase::wasting, Phrase::name, Phrase::number}},
    {Phrase::fresher,
     QT_TRANSLATE_NOOP("Results", "%1; %2 is almost as good (%3 periods) and wastes %4 GPU-hours"),
     {Phrase::wasting, Phrase::name, Phrase::number, Phrase::number}},
    {Phrase::fresher, "%1", {Phrase::wasting}},
    // Answers of a run of several parts.
    {Phrase::left_out, QT_TRANSLATE_NOOP("Results", "without the queue"), {}},
    {Phrase::left_out, QT_TRANSLATE_NOOP("Results", "without services"), {}},
    {Phrase::left_out, QT_TRANSLATE_NOOP("Results", "without retraining"), {}},
    {Phrase::left_out, QT_TRANSLATE_NOOP("Results", "without failures"), {}},
    {Phrase::measure, QT_TRANSLATE_NOOP("Results", "mean JCT"), {}},
    {Phrase::measure, QT_TRANSLATE_NOOP("Results", "waiting"), {}},
    {Phrase::measure, QT_TRANSLATE_NOOP("Results", "median need→deployed"), {}},
    {Phrase::measure, QT_TRANSLATE_NOOP("Results", "services up"), {}},
    {Phrase::without,
     QT_TRANSLATE_NOOP("Results", "%1, %2 is %3 instead of %4"),
     {Phrase::left_out, Phrase::measure, Phrase::figure, Phrase::figure}},
    // One line of an answer.
    {Phrase::line,
     QT_TRANSLATE_NOOP("Results", "%1: %2 and %3 are equally fast at %4 GPUs (%5 %6s/s); choose the simpler one."),
     {Phrase::name, Phrase::name, Phrase::name, Phrase::number, Phrase::number, Phrase::sample}},
    {Phrase::line,
     QT_TRANSLATE_NOOP("Results", "%1. It trains on stale parameters (mean staleness %2); convergence is not modelled: "
                                  "the best synchronous variant is %3 with %4 %5s/s."),
     {Phrase::winner, Phrase::number, Phrase::name, Phrase::number, Phrase::sample}},
    {Phrase::line,
     QT_TRANSLATE_NOOP("Results",
                       "%1. It trains on stale parameters (mean staleness %2); convergence is not modelled."),
     {Phrase::winner, Phrase::number}},
    {Phrase::line, QT_TRANSLATE_NOOP("Results", "%1."), {Phrase::winner}},
    {Phrase::line,
     QT_TRANSLATE_NOOP("Results", "lowest mean completion time: %1 (%2; %3 under %4): %5."),
     {Phrase::name, Phrase::figure, Phrase::figure, Phrase::name, Phrase::difference}},
    {Phrase::line,
     QT_TRANSLATE_NOOP("Results",
                       "it preempts running jobs %1 times; starts, preemptions cost %2 GPU-hours without progress; "
                       "higher costs of preemption (scheduling.checkpoint_cost, restart_cost) may change the answer."),
     {Phrase::number, Phrase::number}},
    {Phrase::line,
     QT_TRANSLATE_NOOP(
         "Results",
         "it preempts running jobs %1 times; starts, preemptions and failures cost %2 GPU-hours without progress; "
         "higher costs of preemption (scheduling.checkpoint_cost, restart_cost) may change the answer."),
     {Phrase::number, Phrase::number}},
    {Phrase::line,
     QT_TRANSLATE_NOOP("Results",
                       "shortest long waits (p99 of all waiting, also after a preemption): %1 (%2; %3 under %4)."),
     {Phrase::name, Phrase::figure, Phrase::figure, Phrase::name}},
    {Phrase::line,
     QT_TRANSLATE_NOOP(
         "Results",
         "fairest: %1 (no job takes more than %2 times its time on an equal share of the cluster; %3 under %4)."),
     {Phrase::name, Phrase::number, Phrase::number, Phrase::name}},
    {Phrase::line,
     QT_TRANSLATE_NOOP("Results", "shortest makespan: %1 (%2, %3 busy; %4 under %5)."),
     {Phrase::name, Phrase::figure, Phrase::name, Phrase::figure, Phrase::name}},
    {Phrase::line,
     QT_TRANSLATE_NOOP("Results",
                       "all policies give the same result: no job waits for GPUs that another policy would give it."),
     {}},
    {Phrase::line,
     QT_TRANSLATE_NOOP("Results", "by GPUs of the job, best and worst mean slowdown: %1."),
     {Phrase::name}},
    {Phrase::line, QT_TRANSLATE_NOOP("Results", "by team: %1."), {Phrase::name}},
    {Phrase::line, QT_TRANSLATE_NOOP("Results", "no model was deployed: the warnings say why."), {}},
    {Phrase::line,
     QT_TRANSLATE_NOOP("Results",
                       "half of the needs are served within %1; %2 of the time to a deployed model is %3 (%4)."),
     {Phrase::figure, Phrase::name, Phrase::segment, Phrase::figure}},
    {Phrase::line,
     QT_TRANSLATE_NOOP("Results", "all planners end the trainings at the same time, after %1."),
     {Phrase::figure}},
    {Phrase::line,
     QT_TRANSLATE_NOOP("Results", "%1 ends the trainings first, after %2; %3 takes %4 (%5 % longer)."),
     {Phrase::name, Phrase::figure, Phrase::name, Phrase::figure, Phrase::number}},
    {Phrase::line,
     QT_TRANSLATE_NOOP("Results", "the choice has no effect here: the model is stale %1 of the time with all of them."),
     {Phrase::name}},
    {Phrase::line, QT_TRANSLATE_NOOP("Results", "%1."), {Phrase::fresher}},
    {Phrase::line, QT_TRANSLATE_NOOP("Results", "%1."), {Phrase::events}},
    {Phrase::line, QT_TRANSLATE_NOOP("Results", "%1: %2."), {Phrase::name, Phrase::events}},
    {Phrase::line, QT_TRANSLATE_NOOP("Results", "%1: %2"), {Phrase::name, Phrase::without}},
    {Phrase::line, "%1", {Phrase::without}},
    {Phrase::line, QT_TRANSLATE_NOOP("Results", "answer: %1"), {Phrase::name}},
    {Phrase::line,
     QT_TRANSLATE_NOOP("Results",
                       "tightest goal: %1 (margin %2); closest of the cheaper designs that fail: %3 at %4, %5 with %6"),
     {Phrase::name, Phrase::name, Phrase::name, Phrase::name, Phrase::name, Phrase::name}},
    {Phrase::line, QT_TRANSLATE_NOOP("Results", "tightest goal: %1 (margin %2)"), {Phrase::name, Phrase::name}},
    {Phrase::line,
     QT_TRANSLATE_NOOP("Results", "no design meets the goals; the nearest miss is %1: %2"),
     {Phrase::name, Phrase::name}},
    {Phrase::line, QT_TRANSLATE_NOOP("Results", "no design meets the goals"), {}},
    {Phrase::line, QT_TRANSLATE_NOOP("Results", "waits for: %1"), {Phrase::name}},
    // What is assumed, beside what models/scenario/assumptions.hpp declares.
    {Phrase::assumed, QT_TRANSLATE_NOOP("Results", "any number of placements per second"), {}},
    {Phrase::assumed, QT_TRANSLATE_NOOP("Results", "images are there already"), {}},
    {Phrase::assumed, QT_TRANSLATE_NOOP("Results", "image pulls without limit"), {}},
    {Phrase::assumed, QT_TRANSLATE_NOOP("Results", "checkpoints none"), {}},
    {Phrase::assumed, QT_TRANSLATE_NOOP("Results", "runtime container"), {}},
    {Phrase::assumed, QT_TRANSLATE_NOOP("Results", "orchestrator none"), {}},
    {Phrase::assumed, QT_TRANSLATE_NOOP("Results", "trainings do not fail"), {}},
    {Phrase::assumed, QT_TRANSLATE_NOOP("Results", "trainings fail only as 'faults' says"), {}},
    {Phrase::assumed, QT_TRANSLATE_NOOP("Results", "estimates: those of the jobs"), {}},
    {Phrase::assumed, QT_TRANSLATE_NOOP("Results", "estimates: the run times"), {}},
    {Phrase::assumed, QT_TRANSLATE_NOOP("Results", "jobs ask for no CPU and memory"), {}},
    {Phrase::assumed, QT_TRANSLATE_NOOP("Results", "messages inside machines take the time of their closed form"), {}},
    {Phrase::assumed,
     QT_TRANSLATE_NOOP("Results", "collectives meet no other traffic, and switches carry all at once"),
     {}},
    {Phrase::assumed,
     QT_TRANSLATE_NOOP("Results", "products reach %1 % of the GPU's measured ceiling (product_efficiency)"),
     {Phrase::number}},
    {Phrase::assumed, QT_TRANSLATE_NOOP("Results", "Adam with fp32 states"), {}},
    {Phrase::assumed, QT_TRANSLATE_NOOP("Results", "one replica (dp or workers give more)"), {}},
    {Phrase::assumed, QT_TRANSLATE_NOOP("Results", "tokens are spread evenly over the experts"), {}},
    {Phrase::assumed, QT_TRANSLATE_NOOP("Results", "gradients travel after the last backward pass"), {}},
    {Phrase::assumed, QT_TRANSLATE_NOOP("Results", "machines have memory for the optimiser states of their GPUs"), {}},
    {Phrase::assumed,
     QT_TRANSLATE_NOOP("Results", "storage takes checkpoints as fast as the network cards send them (checkpoints: "
                                  "{storage: RATE} names another)"),
     {}},
};

/// The form as a pattern, its places as groups.
QRegularExpression sentence_pattern(const QString& text, const std::array<Phrase, 7>& places)
{
  QString pattern = QRegularExpression::escape(text);
  for (int i = 0; i < static_cast<int>(places.size()); ++i)
    pattern.replace(QStringLiteral("\\%%1").arg(i + 1), places[static_cast<std::size_t>(i)] == Phrase::number
                                                            ? QStringLiteral("([0-9][-0-9.,e+]*)")
                                                            : QStringLiteral("(.+?)"));
  return QRegularExpression{QRegularExpression::anchoredPattern(pattern)};
}

/// The text with its places filled at once: what fills one may itself have a %1.
QString with_parts(const QString& text, const QStringList& parts)
{
  QString words;
  for (qsizetype i = 0; i < text.size(); ++i) {
    const int place = text[i] == QLatin1Char('%') && i + 1 < text.size() ? text[i + 1].digitValue() : -1;
    if (place < 1 || place > parts.size()) {
      words += text[i];
      continue;
    }
    words += parts[place - 1];
    ++i;
  }
  return words;
}

std::optional<QString> in_words(Phrase kind, const QString& text)
{
  if (kind == Phrase::name || kind == Phrase::number)
    return text;
  if (kind == Phrase::figure)
    return in_units(text);
  if (kind == Phrase::sample)
    return sample_words(text);
  static const QVector<QRegularExpression> patterns = [] {
    QVector<QRegularExpression> all;
    for (const SentenceForm& form : sentence_forms)
      all.push_back(sentence_pattern(QString::fromUtf8(form.text), form.places));
    return all;
  }();
  for (std::size_t i = 0; i < std::size(sentence_forms); ++i) {
    if (sentence_forms[i].kind != kind)
      continue;
    const QRegularExpressionMatch match = patterns[static_cast<qsizetype>(i)].match(text);
    if (!match.hasMatch())
      continue;
    QStringList parts;
    for (int place = 1; place <= match.lastCapturedIndex(); ++place)
      if (const auto part =
              in_words(sentence_forms[i].places[static_cast<std::size_t>(place - 1)], match.captured(place));
          part)
        parts << *part;
    if (parts.size() == match.lastCapturedIndex())
      return with_parts(QCoreApplication::translate("Results", sentence_forms[i].text), parts);
  }
  return std::nullopt;
}

/// The words of an assumption, its value as place: "precision %1".
QByteArray assumption_form(const Assumption& assumption)
{
  return QByteArray::fromStdString(std::string{assumption.words}).replace("{}", "%1");
}

} // namespace

QString bottleneck_words(const QString& sentence)
{
  return in_words(Phrase::bottleneck, sentence).value_or(sentence);
}

QString reason_words(const QString& reason)
{
  return in_words(Phrase::reason, reason).value_or(reason);
}

QStringList reason_texts()
{
  QStringList texts;
  for (const SentenceForm& form : sentence_forms)
    if (form.kind == Phrase::reason)
      texts << QCoreApplication::translate("Results", form.text);
  return texts;
}

QString cell_words(const QString& column, const QString& cell)
{
  return column == QLatin1String("bottleneck") ? bottleneck_words(cell)
         : column == QLatin1String("reason")   ? reason_words(cell)
                                               : cell;
}

QString basis_words(const QString& basis)
{
  return in_words(Phrase::basis, basis).value_or(basis);
}

QString answer_words(const QString& answer)
{
  QStringList lines = answer.split(QLatin1Char('\n'));
  for (QString& line : lines) {
    const auto first = std::find_if_not(line.cbegin(), line.cend(), [](QChar each) { return each.isSpace(); });
    const auto indent = first - line.cbegin();
    line = line.left(indent) + in_words(Phrase::line, line.mid(indent)).value_or(line.mid(indent));
  }
  return lines.join(QLatin1Char('\n'));
}

QString assumed_words(const QString& assumed)
{
  if (const auto words = in_words(Phrase::assumed, assumed); words)
    return *words;
  // The longest form that fits: "restart delay %1" before "restart %1".
  QByteArray best;
  QString value;
  for (const Assumption& assumption : assumptions()) {
    const QByteArray form = assumption_form(assumption);
    if (form.size() <= std::max<qsizetype>(best.size(), 2))
      continue;
    if (const auto match = sentence_pattern(QString::fromUtf8(form), {}).match(assumed); match.hasMatch()) {
      best = form;
      value = match.captured(1);
    }
  }
  return best.isEmpty() ? assumed
                        : with_parts(QCoreApplication::translate("Assumed", best.constData()), {in_units(value)});
}

} // namespace trainyard::gui
