// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sections/task_environment.hpp"

#include "models/core/closest.hpp"
#include "models/scenario/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

constexpr double ten_years = 3650 * 86400.0;
/// Above this, exchanges would hardly ever succeed, and a run would consist of repeated messages.
constexpr double most_loss = 0.99;

/// Durations below ten years; infinite ones have no default.
FieldRange duration(std::string example, double least = 0, std::string otherwise = {})
{
  return {.example = std::move(example), .least = least, .most = ten_years, .otherwise = std::move(otherwise)};
}

/// A probability that leaves things a chance; @p beyond says what comes of a larger one.
void chance(Fields& keys, const std::string& key, double& value, const std::string& meaning, const std::string& beyond)
{
  keys.number(key, value, meaning,
              {.example = "5 %", .most = keys.reading() ? std::numeric_limits<double>::infinity() : most_loss});
  if (value > most_loss) {
    keys.error(key, beyond);
    value = 0;
  }
}

void notice_fields(Fields& keys, NoticeSpec& notice, const std::vector<std::string>& ways, const std::string& period)
{
  keys.choice("by", notice.by, ways, "how the program that retrains learns of it");
  keys.quantity("period", notice.period, "time between two polls, or between attempts after a lost message",
                duration(period, 1e-3));
}

/// What is sent to storage, and what comes back.
void data_fields(Fields& keys, RetrainedModel& model)
{
  keys.quantity("data", model.data, "data sent to storage for each retraining", {.example = "200 GB"});
  keys.integer("parts", model.parts, "number of parts in which the data are sent; training starts after the first part",
               {.least = 1, .most = 100'000});
  keys.number("passes", model.passes, "passes over the data in one training", {.least = 1e-3, .most = 1e6});
  keys.quantity("result", model.result, "size of the trained model",
                {.example = "500 MB",
                 .otherwise = "the network's parameters in fp32; 0 B with train_time, which names no network"});
  keys.quantity("checkpoint", model.checkpoint, "size of the checkpoint downloaded with the result",
                {.example = "1 GB"});
  keys.quantity("checkpoint_interval", model.checkpoint_interval, "training time between checkpoints",
                duration("30 min", 1, "a failed training starts from the beginning"));
}

void quality_fields(Fields& keys, QualityCurve& quality)
{
  const bool by_half_life =
      keys.quantity("half_life", quality.half_life, "age at which half of what is above the floor is left",
                    duration("30 d", 1, "none: 'curve' says the quality"));
  keys.number("fresh", quality.fresh, "with half_life: quality on data of age 0", {.example = "95 %", .most = 1});
  keys.number("floor", quality.floor, "with half_life: quality that is left in the end",
              {.example = "50 %", .most = 1});
  std::string name;
  const bool by_curve = keys.text("curve", name,
                                  "instead of half_life: table with the columns age_h and quality, straight lines "
                                  "between its rows");
  if (keys.reading() && by_half_life == by_curve)
    keys.error("'quality' needs either half_life or curve");
  if (quality.floor > quality.fresh)
    keys.error("floor", "the floor is above the quality on fresh data");
  if (by_curve && (keys.has("fresh") || keys.has("floor")))
    keys.error("curve", "a curve says all; remove 'fresh' and 'floor'");
  if (const std::string file = by_curve ? found_file(keys, "curve", name) : ""; !file.empty())
    try {
      quality.points = read_quality(file);
    } catch (const std::exception& fault) {
      keys.error("curve", fault.what());
    }
}

void model_fields(Fields& keys, RetrainedModel& model)
{
  model.where = keys.where();
  keys.text("name", model.name, "name of the model", {.required = true});
  keys.integer("copies", model.copies, "number of equal models, named name-0, name-1…", {.least = 1, .most = 100'000});
  const bool job =
      keys.text("job", model.job,
                "one of the scenario's jobs, which gives network, workers and steps; its training time is simulated");
  const bool time = keys.quantity("train_time", model.train_time, "training time, instead of 'job'",
                                  duration("6 h", 1e-3, "that of 'job'"));
  if (!model.name.empty() && job == time)
    keys.error(fmt::format("model '{}' needs either 'job' (one of the scenario's jobs) or 'train_time'", model.name));
  if (keys.integer("gpus", model.gpus, "GPUs, with train_time", {.least = 1, .most = 1e6}) && !model.job.empty())
    keys.error("gpus", fmt::format("the GPUs of model '{}' are the 'workers' of its job", model.name));
  keys.text("team", model.team, "team whose quota its trainings use, with through: queue");
  keys.number("variation", model.variation, "coefficient of variation of the training time between retrainings",
              {.most = 10});
  keys.part("trigger", model.trigger, "need_trigger", "trigger", "when the model needs retraining");
  keys.quantity("period", model.period, "time between needs", duration("24 h", 1e-3));
  keys.quantity("first", model.first, "time of the first need", duration("2 h"));
  model.stale_after = model.period;
  keys.quantity("stale_after", model.stale_after, "age of its data at which the deployed model becomes stale",
                duration("24 h", 1e-3, "the period"));
  keys.object("quality", "how good the deployed model is by the age of its data, as the user knows it",
              [&](Fields& quality) { quality_fields(quality, model.quality); });
  data_fields(keys, model);
  keys.number("priority", model.priority, "priority; the larger number goes first", {.least = -1e9, .most = 1e9});
  keys.quantity("time_out", model.time_out,
                "time after submission at which a training without a result counts as failed",
                duration("12 h", 1e-3, "it never does"));
  keys.integer("attempts", model.attempts, "attempts at one retraining before it is given up",
               {.least = 1, .most = 1000});
  keys.integer("own_gpus", model.own_gpus, "GPUs of its own machine, with cluster: false", {.least = 1, .most = 64});
}

void upload_fields(Fields& keys, TaskEnvironmentSection& section)
{
  keys.quantity("bandwidth", section.upload_bandwidth, "bandwidth of the link that all uploads share",
                {.example = "1 Gbit/s", .least = 1});
  keys.quantity("per_model", section.upload_per_model, "highest rate of one upload",
                {.example = "200 Mbit/s", .least = 1, .otherwise = "the whole link"});
  chance(keys, "corruption", section.corruption,
         "probability that a part arrives with a wrong checksum and is sent again",
         fmt::format("with a corruption of more than {:.0f} % no upload would ever succeed", 100 * most_loss));
  keys.object("confirm", "how the program that retrains learns that the data have arrived", [&](Fields& notice) {
    notice_fields(notice, section.confirm, {"polling", "message"}, "60 s");
  });
}

void messages_fields(Fields& keys, MessageSpec& messages)
{
  keys.quantity("latency", messages.latency, "latency in one direction", duration("50 ms"));
  chance(keys, "loss", messages.loss, "probability that a message is lost",
         fmt::format("with a loss of more than {:.0f} % no message would ever arrive; write 'status: {{by: storage}}' "
                     "for a cluster that never answers",
                     100 * most_loss));
  keys.integer("tries", messages.tries, "attempts for one request and its answer", {.least = 1, .most = 1e6});
  keys.quantity("retry_after", messages.retry_after, "time to wait for an answer before the next attempt",
                duration("1 s"));
}

void deploy_fields(Fields& keys, DeploySpec& deploy)
{
  keys.integer("replicas", deploy.replicas, "number of serving replicas", {.least = 1, .most = 1e6});
  keys.integer("parallelism", deploy.parallelism, "replicas replaced at a time", {.least = 1, .most = 1e6});
  keys.quantity("delay", deploy.delay, "time between batches", duration("10 s"));
  keys.quantity("stop_and_start", deploy.stop_and_start, "time to stop and start one batch", duration("5 s"));
}

void fault_fields(Fields& keys, TrainingFault& fault, const TaskEnvironmentSection& section)
{
  keys.text("model", fault.model, "name of the model", {.required = true});
  keys.integer("need", fault.need, "number of the need, from 1");
  keys.integer("attempt", fault.attempt, "number of the attempt, from 1");
  keys.quantity("after", fault.after, "training time until the failure", duration("1 h"));
  std::vector<std::string> known;
  known.reserve(section.models.size());
  for (const RetrainedModel& model : section.models)
    known.push_back(model.name);
  if (!fault.model.empty() && std::ranges::find(known, fault.model) == known.end())
    keys.error("model", fmt::format("there is no model '{}'{}", fault.model, did_you_mean(fault.model, known)));
}

/// Who starts trainings, and where.
void planning_fields(Fields& keys, TaskEnvironmentSection& section)
{
  section.duplicates = {{"replace", {}, "replace"}};
  keys.part_list("duplicates", section.duplicates, "duplicate_policy", "policy for duplicates",
                 "what happens to a need while the model's last retraining still waits or trains; give several to "
                 "compare them",
                 true);
  section.duplicates_at = keys.places("duplicates");
  section.planners = {{"priority", {}, "priority"}};
  keys.part_list("planner", section.planners, "job_planner", "planner",
                 "which training starts next; none: there is no planner; give several to compare them", true);
  section.planners_at = keys.places("planner");
  keys.flag("cluster", section.cluster, "true: one shared cluster; false: every model trains on its own machine");
  keys.choice("through", section.through_queue, {{"planner", false}, {"queue", true}},
              "who starts trainings. planner: the planner of this section, beside the queue; queue: every training is "
              "a job of the workload's queue");
  keys.quantity("planner_period", section.planner_period,
                "time between two looks of the planner at the needs; 0 s: at once", duration("5 min"));
  keys.part("placement", section.placement, "placement_policy", "placement policy", "which machines a training gets");
  if (!section.through_queue)
    return;
  if (keys.has("planner") && (section.planners.size() > 1 || section.planners.front().name != "priority"))
    keys.error("planner", "with 'through: queue' the policy of the queue decides which training starts next; remove "
                          "'planner', and set scheduling: {policy: …}");
  if (keys.has("placement"))
    keys.error("placement", "with 'through: queue' the queue chooses the machines; remove 'placement', and set "
                            "scheduling: {placement: …}");
  if (!section.cluster)
    keys.error("cluster", "with 'cluster: false' every model has a machine of its own, so nothing goes through the "
                          "queue; remove one of the two");
}

class TaskEnvironmentReader final : public SectionOf<TaskEnvironmentSection>
{
public:
  TaskEnvironmentReader()
      : SectionOf{"task_environment", "retraining of deployed models: from the need to the deployed model"}
  {
  }
  bool brings_work() const override { return true; }

protected:
  void fields(Fields& keys, TaskEnvironmentSection& section, const SectionInput* input) const override
  {
    keys.list<RetrainedModel>("models", section.models, "a model", "models that are retrained", model_fields,
                              {.required = true});
    if (keys.has("models") && section.models.empty())
      keys.error("models", "'task_environment' needs at least one model; models: [{name: faces, train_time: 6 h}]");
    planning_fields(keys, section);
    keys.object("upload", "upload of the data to object storage",
                [&](Fields& upload) { upload_fields(upload, section); });
    keys.choice("submission", section.submission, {"check", "blind", "once"},
                "what is done if the queue does not answer to a submission. check: ask whether the job has arrived; "
                "blind: submit it again without asking; once: nothing");
    keys.object("status", "how the program that retrains learns that a training has ended", [&](Fields& notice) {
      notice_fields(notice, section.status, {"polling", "message", "storage"}, "30 s");
    });
    keys.object("messages", "messages between the program that retrains, storage and cluster",
                [&](Fields& messages) { messages_fields(messages, section.messages); });
    keys.object("save", "saving of the trained model", [&](Fields& save) {
      save.quantity("bandwidth", section.save_bandwidth, "bandwidth to storage, shared by all",
                    {.example = "1 GB/s", .least = 1});
    });
    keys.object("download", "download of the result", [&](Fields& download) {
      download.quantity("bandwidth", section.download_bandwidth, "bandwidth shared by all downloads",
                        {.example = "1 Gbit/s", .least = 1});
    });
    keys.object("deploy", "rolling update of the serving replicas to the new model",
                [&](Fields& deploy) { deploy_fields(deploy, section.deploy); });
    FieldRange mean_time = duration("5000 h", 1, "trainings do not fail");
    mean_time.most = 1e15; // s; of a good part it is beyond what is simulated
    keys.quantity("mean_time_to_failure", section.mean_time_to_failure, "mean time to failure of one GPU that trains",
                  mean_time);
    keys.list<TrainingFault>("faults", section.faults, "a training that fails", "trainings that fail",
                             [&](Fields& fault, TrainingFault& spec) { fault_fields(fault, spec, section); });
    if (input != nullptr)
      check_names(*input, section);
  }

private:
  static void check_names(const SectionInput& input, const TaskEnvironmentSection& section)
  {
    std::vector<std::string> jobs;
    for (const JobSpec& job : input.scenario.jobs)
      jobs.push_back(job.name);
    const auto fault = [&](const RetrainedModel& model, const std::string& message) {
      input.diagnostics.error(model.where, message, input.document.line_text(model.where.line));
    };
    for (std::size_t i = 0; i < section.models.size(); ++i) {
      const RetrainedModel& model = section.models[i];
      for (std::size_t j = 0; j < i; ++j)
        if (section.models[j].name == model.name && !model.name.empty())
          fault(model, fmt::format("two models have the name '{}'", model.name));
      if (!model.job.empty() && std::ranges::find(jobs, model.job) == jobs.end())
        fault(model, fmt::format("model '{}': the scenario has no job '{}'{}", model.name, model.job,
                                 did_you_mean(model.job, jobs)));
      if (!model.team.empty() && !section.through_queue && input.node.find("through") == nullptr)
        fault(model, fmt::format("model '{}': 'team' counts in the queue only; write through: queue, or remove it",
                                 model.name));
      if (section.status.by == "storage" && !std::isfinite(model.time_out.value()) &&
          (!section.faults.empty() || std::isfinite(section.mean_time_to_failure.value()) ||
           section.submission == "once"))
        fault(model, fmt::format("model '{}': storage shows only results, so nobody would notice a failed training; "
                                 "give it a 'time_out'",
                                 model.name));
    }
  }
};

TY_REGISTER(ScenarioSection, TaskEnvironmentReader, "task_environment",
            "models that are retrained as their data get older");

} // namespace

Seconds DeploySpec::time() const
{
  const int batches = (replicas + parallelism - 1) / parallelism;
  return stop_and_start * batches + delay * (batches - 1);
}

} // namespace trainyard
