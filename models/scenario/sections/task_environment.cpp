// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sections/task_environment.hpp"

#include "models/core/closest.hpp"
#include "models/scenario/map_reader.hpp"
#include "models/scenario/schema_parts.hpp"
#include "models/scenario/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

constexpr double ten_years = 3650 * 86400.0;
/// Above this, exchanges would hardly ever succeed, and a run would consist of repeated messages.
constexpr double most_loss = 0.99;

class TaskEnvironmentReader final : public ScenarioSection
{
public:
  bool brings_work() const override { return true; }

  nlohmann::ordered_json schema(const Parts& parts, const Catalogue& catalogue) const override
  {
    using namespace schema;
    const auto choice = [&](const std::string& kind, const std::string& meaning) {
      Json settings = {{"name", part_of(parts, kind, meaning)}, {"label", text("name in the tables")}};
      add_settings(settings, parts, {kind}, catalogue);
      Json one = {{"anyOf", {part_of(parts, kind, meaning), object(meaning + ", with settings", settings, {"name"})}},
                  {"description", meaning}};
      return one;
    };
    const auto notice = [](const std::vector<std::string>& ways, const std::string& meaning,
                           const std::string& period) {
      return object(meaning,
                    {{"by", name_of(ways, "how the service learns of it (default polling)")},
                     {"period", quantity("time between two polls, or between attempts after a lost message (default " +
                                             period + ")",
                                         period)}});
    };
    const auto ratio = [](const std::string& meaning) {
      return Json{{"type", {"number", "string"}}, {"description", meaning}, {"examples", {"5 %"}}};
    };
    const Json model = object(
        "a model that is retrained",
        {{"name", text("name of the model")},
         {"copies", whole("number of equal models, named name-0, name-1… (default 1)")},
         {"job",
          text("one of the scenario's jobs, which gives network, workers and steps; its training time is simulated")},
         {"train_time", quantity("training time, instead of 'job'", "6 h")},
         {"gpus", whole("GPUs, with train_time (default 1)")},
         {"team", text("team whose quota its trainings use, with through: queue")},
         {"variation", number("coefficient of variation of the training time between retrainings (default 0)")},
         {"trigger", choice("need_trigger", "when the model needs retraining (default periodic)")},
         {"period", quantity("time between needs (default 24 h)", "24 h")},
         {"first", quantity("time of the first need (default 0 s)", "2 h")},
         {"stale_after",
          quantity("age of its data at which the deployed model becomes stale (default: the period)", "24 h")},
         {"data", quantity("data sent to storage for each retraining (default 0 B)", "200 GB")},
         {"parts",
          whole("number of parts in which the data are sent; training starts after the first part (default 1)")},
         {"passes", number("passes over the data in one training (default 1)", 1e-3)},
         {"result", quantity("size of the trained model (default: the network's parameters in fp32)", "500 MB")},
         {"checkpoint", quantity("size of the checkpoint downloaded with the result (default 0 B)", "1 GB")},
         {"checkpoint_interval",
          quantity("training time between checkpoints; default: a failed training starts from the beginning",
                   "30 min")},
         {"priority", {{"type", "number"}, {"description", "priority; the larger number goes first (default 0)"}}},
         {"time_out", quantity("time after submission at which a training without a result counts as failed", "12 h")},
         {"attempts", whole("attempts at one retraining before it is given up (default 3)")},
         {"own_gpus", whole("GPUs of its own machine, with cluster: false (default 1)")}},
        {"name"});
    return object(
        "retraining of deployed models: from the need to the deployed model",
        {{"models", list_of(model, "models that are retrained")},
         {"duplicates",
          {{"anyOf",
            {choice("duplicate_policy", "duplicates"), list_of(choice("duplicate_policy", "a policy"), "several")}},
           {"description", "what happens to a need while the model's last retraining still waits or trains (default "
                           "replace); give several "
                           "to compare them"}}},
         {"planner",
          {{"anyOf", {choice("job_planner", "planner"), list_of(choice("job_planner", "a planner"), "several")}},
           {"description", "which training starts next (default priority); none: there is no planner"}}},
         {"through", name_of({"planner", "queue"},
                             "who starts trainings. planner: the planner of this section, beside the queue; queue: "
                             "every training is a job of the workload's queue (default planner)")},
         {"cluster", flag("true: one shared cluster; false: every model trains on its own machine (default true)")},
         {"planner_period",
          quantity("time between two looks of the planner at the needs (default 0 s: at once)", "5 min")},
         {"upload",
          object(
              "upload of the data to object storage",
              {{"bandwidth", quantity("bandwidth of the link that all uploads share (default 1 Gbit/s)", "1 Gbit/s")},
               {"per_model", quantity("highest rate of one upload; default: the whole link", "200 Mbit/s")},
               {"corruption",
                ratio("probability that a part arrives with a wrong checksum and is sent again (default 0 %)")},
               {"confirm",
                notice({"polling", "message"}, "how the service learns that the data have arrived", "60 s")}})},
         {"submission",
          name_of({"check", "blind", "once"},
                  "what the service does if the queue does not answer. check: ask whether the script arrived; "
                  "blind: send it again without asking; once: nothing (default check)")},
         {"status",
          notice({"polling", "message", "storage"}, "how the service learns that a training has ended", "30 s")},
         {"messages", object("messages between service, storage and cluster",
                             {{"latency", quantity("latency in one direction (default 50 ms)", "50 ms")},
                              {"loss", ratio("probability that a message is lost (default 0 %)")},
                              {"tries", whole("attempts for one request and its answer (default 3)")},
                              {"retry_after",
                               quantity("time to wait for an answer before the next attempt (default 1 s)", "1 s")}})},
         {"save", object("saving of the trained model",
                         {{"bandwidth", quantity("bandwidth to storage, shared by all (default 1 GB/s)", "1 GB/s")}})},
         {"download",
          object("download of the result",
                 {{"bandwidth", quantity("bandwidth shared by all downloads (default 1 Gbit/s)", "1 Gbit/s")}})},
         {"deploy", object("rolling update of the serving replicas to the new model",
                           {{"replicas", whole("number of serving replicas (default 1)")},
                            {"parallelism", whole("replicas replaced at a time (default 1)")},
                            {"delay", quantity("time between batches (default 0 s)", "10 s")},
                            {"stop_and_start", quantity("time to stop and start one batch (default 0 s)", "5 s")}})},
         {"mean_time_to_failure",
          quantity("mean time to failure of one GPU that trains; default: trainings do not fail", "5000 h")},
         {"faults", list_of(object("a training that fails",
                                   {{"model", text("name of the model")},
                                    {"need", whole("number of the need, from 1 (default 1)")},
                                    {"attempt", whole("number of the attempt, from 1 (default 1)")},
                                    {"after", quantity("training time until the failure (default 0 s)", "1 h")}},
                                   {"model"}),
                            "trainings that fail")},
         {"placement", choice("placement_policy", "which machines a training gets (default first_fit)")}},
        {"models"});
  }

  std::any read(const SectionInput& input) const override
  {
    TaskEnvironmentSection section;
    MapReader reader{input.document, &input.node, "'task_environment'", input.diagnostics};
    for (const DocumentNode* node : reader.list("models"))
      section.models.push_back(read_model(input, *node));
    if (section.models.empty())
      reader.error("models", "'task_environment' needs at least one model; models: [{name: faces, train_time: 6 h}]");
    const auto parts_at = [&](const char* key, const char* kind, const char* what, const char* fallback,
                              std::vector<Location>& places) {
      std::vector<NamedPart> list;
      for (const DocumentNode* node : reader.list(key)) {
        list.push_back(read_named_part(input.document, *node, kind, what, input.parts, input.diagnostics));
        places.push_back(input.document.at(*node));
      }
      if (list.empty()) {
        list.push_back({fallback, {}, fallback});
        places.push_back(input.document.at(input.node));
      }
      return list;
    };
    section.duplicates =
        parts_at("duplicates", "duplicate_policy", "policy for duplicates", "replace", section.duplicates_at);
    section.planners = parts_at("planner", "job_planner", "planner", "priority", section.planners_at);
    if (const DocumentNode* node = reader.node("placement"); node != nullptr)
      section.placement = read_named_part(input.document, *node, "placement_policy", "placement policy", input.parts,
                                          input.diagnostics);
    section.cluster = reader.flag("cluster", true);
    read_through(reader, section);
    section.planner_period = duration(reader, "planner_period", 0);
    read_upload(input, reader, section);
    section.submission = reader.choice("submission", "check", {"check", "blind", "once"});
    section.status =
        read_notice(input, reader.node("status"), "'status'", {"polling", "message", "storage"}, Seconds{30});
    read_messages(input, reader, section.messages);
    section.save_bandwidth = bandwidth_of(input, reader, "save", section.save_bandwidth);
    section.download_bandwidth = bandwidth_of(input, reader, "download", section.download_bandwidth);
    read_deploy(input, reader, section.deploy);
    if (reader.has("mean_time_to_failure"))
      section.mean_time_to_failure = duration(reader, "mean_time_to_failure", 3600, 1);
    for (const DocumentNode* node : reader.list("faults"))
      read_fault(input, *node, section);
    reader.finish();
    check_names(input, section);
    return section;
  }

private:
  static Seconds duration(MapReader& reader, const std::string& key, double fallback, double least = 0)
  {
    const double value = reader.quantity(key, QuantityKind::duration, fallback, least);
    if (value > ten_years)
      reader.error(key, fmt::format("'{}' is more than ten years", key));
    return Seconds{std::min(value, ten_years)};
  }

  static void read_through(MapReader& reader, TaskEnvironmentSection& section)
  {
    section.through_queue = reader.choice("through", "planner", {"planner", "queue"}) == "queue";
    if (!section.through_queue)
      return;
    if (reader.has("planner") && (section.planners.size() > 1 || section.planners.front().name != "priority"))
      reader.error("planner", "with 'through: queue' the policy of the queue decides which training starts next; "
                              "remove 'planner', and set scheduling: {policy: …}");
    if (reader.has("placement"))
      reader.error("placement", "with 'through: queue' the queue chooses the machines; remove 'placement', and set "
                                "scheduling: {placement: …}");
    if (!section.cluster)
      reader.error("cluster", "with 'cluster: false' every model has a machine of its own, so nothing goes through the "
                              "queue; remove one of the two");
  }

  static RetrainedModel read_model(const SectionInput& input, const DocumentNode& node)
  {
    MapReader reader{input.document, &node, "a model", input.diagnostics};
    RetrainedModel model;
    model.where = input.document.at(node);
    model.name = reader.required_text("name");
    model.copies = reader.integer("copies", 1, 1, 100'000);
    model.job = reader.text("job", "");
    model.train_time = duration(reader, "train_time", 0, 1e-3);
    if (!model.name.empty() && reader.has("job") == reader.has("train_time"))
      input.document.error(
          input.diagnostics, node,
          fmt::format("model '{}' needs either 'job' (one of the scenario's jobs) or 'train_time'", model.name));
    model.gpus = reader.integer("gpus", 1, 1, 1'000'000);
    if (!model.job.empty() && reader.has("gpus"))
      reader.error("gpus", fmt::format("the GPUs of model '{}' are the 'workers' of its job", model.name));
    model.team = reader.text("team", "");
    model.variation = reader.number("variation", 0, 0, 10);
    if (const DocumentNode* trigger = reader.node("trigger"); trigger != nullptr)
      model.trigger =
          read_named_part(input.document, *trigger, "need_trigger", "trigger", input.parts, input.diagnostics);
    model.period = duration(reader, "period", 86400, 1e-3);
    model.first = duration(reader, "first", 0);
    model.stale_after = duration(reader, "stale_after", model.period.value(), 1e-3);
    model.data = Bytes{reader.quantity("data", QuantityKind::bytes, 0)};
    model.parts = reader.integer("parts", 1, 1, 100'000);
    model.passes = reader.number("passes", 1, 1e-3, 1e6);
    if (reader.has("result"))
      model.result = Bytes{reader.quantity("result", QuantityKind::bytes, 0)};
    model.checkpoint = Bytes{reader.quantity("checkpoint", QuantityKind::bytes, 0)};
    if (reader.has("checkpoint_interval"))
      model.checkpoint_interval = duration(reader, "checkpoint_interval", 3600, 1);
    model.priority = reader.number("priority", 0, -1e9, 1e9);
    if (reader.has("time_out"))
      model.time_out = duration(reader, "time_out", 86400, 1e-3);
    model.attempts = reader.integer("attempts", 3, 1, 1000);
    model.own_gpus = reader.integer("own_gpus", 1, 1, 64);
    reader.finish();
    return model;
  }

  static NoticeSpec read_notice(const SectionInput& input, const DocumentNode* node, const std::string& what,
                                const std::vector<std::string>& ways, Seconds period)
  {
    NoticeSpec notice;
    MapReader reader{input.document, node, what, input.diagnostics};
    notice.by = reader.choice("by", "polling", ways);
    notice.period = duration(reader, "period", period.value(), 1e-3);
    reader.finish();
    return notice;
  }

  static double share(const SectionInput& input, MapReader& reader, const std::string& key, double most,
                      const std::string& beyond)
  {
    const double value = reader.quantity(key, QuantityKind::ratio, 0);
    if (value > most) {
      reader.error(key, beyond);
      return 0;
    }
    static_cast<void>(input);
    return value;
  }

  static void read_upload(const SectionInput& input, MapReader& top, TaskEnvironmentSection& section)
  {
    MapReader reader{input.document, top.node("upload"), "'upload'", input.diagnostics};
    section.upload_bandwidth = BytesPerSecond{reader.quantity("bandwidth", QuantityKind::bandwidth, 125e6, 1)};
    if (reader.has("per_model"))
      section.upload_per_model = BytesPerSecond{reader.quantity("per_model", QuantityKind::bandwidth, 125e6, 1)};
    section.corruption =
        share(input, reader, "corruption", most_loss,
              fmt::format("with a corruption of more than {:.0f} % no upload would ever succeed", 100 * most_loss));
    section.confirm = read_notice(input, reader.node("confirm"), "'confirm'", {"polling", "message"}, Seconds{60});
    reader.finish();
  }

  static void read_messages(const SectionInput& input, MapReader& top, MessageSpec& messages)
  {
    MapReader reader{input.document, top.node("messages"), "'messages'", input.diagnostics};
    messages.latency = duration(reader, "latency", messages.latency.value());
    messages.loss =
        share(input, reader, "loss", most_loss,
              fmt::format(
                  "with a loss of more than {:.0f} % no message would ever arrive; write 'status: {{by: storage}}' for "
                  "a cluster that never answers",
                  100 * most_loss));
    messages.tries = reader.integer("tries", messages.tries, 1, 1'000'000);
    messages.retry_after = duration(reader, "retry_after", messages.retry_after.value());
    reader.finish();
  }

  static BytesPerSecond bandwidth_of(const SectionInput& input, MapReader& top, const std::string& key,
                                     BytesPerSecond fallback)
  {
    MapReader reader{input.document, top.node(key), "'" + key + "'", input.diagnostics};
    const BytesPerSecond bandwidth{reader.quantity("bandwidth", QuantityKind::bandwidth, fallback.value(), 1)};
    reader.finish();
    return bandwidth;
  }

  static void read_deploy(const SectionInput& input, MapReader& top, DeploySpec& deploy)
  {
    MapReader reader{input.document, top.node("deploy"), "'deploy'", input.diagnostics};
    deploy.replicas = reader.integer("replicas", 1, 1, 1'000'000);
    deploy.parallelism = reader.integer("parallelism", 1, 1, 1'000'000);
    deploy.delay = duration(reader, "delay", 0);
    deploy.stop_and_start = duration(reader, "stop_and_start", 0);
    reader.finish();
  }

  static void read_fault(const SectionInput& input, const DocumentNode& node, TaskEnvironmentSection& section)
  {
    MapReader reader{input.document, &node, "a fault", input.diagnostics};
    TrainingFault fault;
    fault.model = reader.required_text("model");
    fault.need = reader.integer("need", 1, 1);
    fault.attempt = reader.integer("attempt", 1, 1);
    fault.after = duration(reader, "after", 0);
    std::vector<std::string> known;
    for (const RetrainedModel& model : section.models)
      known.push_back(model.name);
    if (!fault.model.empty() && std::ranges::find(known, fault.model) == known.end())
      reader.error("model", fmt::format("there is no model '{}'{}", fault.model, did_you_mean(fault.model, known)));
    reader.finish();
    section.faults.push_back(fault);
  }

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
      if (!model.team.empty() && !section.through_queue)
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
