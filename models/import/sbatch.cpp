// SPDX-License-Identifier: Apache-2.0
// Job scripts of Slurm: the options of sbatch in lines that begin with #SBATCH. A script that starts a training of a
// file beside it (DeepSpeed), or of a model that its arguments or --model name, says how many machines it runs on; any
// other is a job of the queue. Source: Slurm, sbatch(1).
#include "models/core/key_fates.hpp"
#include "models/core/pieces.hpp"
#include "models/core/slurm_time.hpp"
#include "models/core/text.hpp"
#include "models/import/hostlist.hpp"
#include "models/import/launch_script.hpp"
#include "models/import/parallel_draft.hpp"
#include "models/import/slurm_parts.hpp"
#include "models/import/training_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

namespace trainyard {
namespace {

/// Options of sbatch that the simulation does not use.
constexpr std::array sbatch_fates{
    KeyFate{
        "output error open-mode input mail-type mail-user chdir export export-file get-user-env comment wrap verbose "
        "quiet parsable hint uid gid test-only signal propagate profile acctg-freq container container-id wckey "
        "no-kill spread-job spank* tmp distribution extra mcs-label bcast bell core-spec thread-spec wait "
        "wait-all-nodes kill-on-invalid-dep requeue no-requeue cpu-freq ntasks-per-core threads-per-core "
        "cores-per-socket sockets-per-node ntasks-per-socket mem-bind gpu-bind gres-flags",
        "has no effect on the simulation"},
    KeyFate{"dependency", "give jobs that wait for each other 'after' in the scenario"},
    KeyFate{"begin deadline delay-boot", "scripts are submitted at time 0"},
    KeyFate{"constraint prefer nodelist nodefile exclude contiguous switches network clusters cluster-constraint "
            "use-min-nodes licenses gpu-freq gres",
            "the placement policy chooses the machines, of all that are given"},
    KeyFate{"nice power oversubscribe share", "not modelled: the queue's policy decides"},
};

/// "128G", "64000" (MiB) as MiB; 0: none, or all of a machine.
int mebibytes(const std::string& text)
{
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const double number = as_number<double>(text.substr(0, end)).value_or(0);
  const char unit = end < text.size() ? text[end] : 'M';
  const double scale = unit == 'K' ? 1.0 / 1024 : unit == 'G' ? 1024 : unit == 'T' ? 1024 * 1024 : 1;
  return static_cast<int>(std::clamp(number * scale, 0.0, 2e9));
}

class Sbatch final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    return file.head().starts_with("#SBATCH ") || file.has("\n#SBATCH ");
  }
  int rank() const override { return -1; } // what it starts runs on its machines
  std::string description() const override { return "job script of Slurm"; }
  std::vector<KeyTable> keys() const override
  {
    return {{"#SBATCH --nodes=1\n#SBATCH --KEY=7\n", sbatch_fates},
            {"#SBATCH --nodes=1 --gpus-per-node=8\ntorchrun train.py --KEY\n", trainer_key_fates()}};
  }

  void read(const InputFile& file, ImportContext& context) const override
  {
    const std::string text = file.text();
    const std::vector<std::vector<SbatchOption>> components = sbatch_components(text);
    const std::size_t first = scripts_.size();
    for (const std::vector<SbatchOption>& options : components)
      read_component(file, text, options, components.size() == 1, context);
    if (components.size() == 1)
      return;
    for (Script& script : std::span{scripts_}.subspan(first)) {
      script.job.name = scripts_[first].job.name;
      script.limit = script.limit > 0 ? script.limit : scripts_[first].limit;
    }
    context.report.assumed("the components of a heterogeneous job are jobs of their own",
                           "they would start together, and the script does not say which of its commands is whose",
                           {file.name(), 0});
  }

  void read_component(const InputFile& file, const std::string& text, const std::vector<SbatchOption>& options,
                      bool alone, ImportContext& context) const
  {
    std::set<std::string> used;
    const SbatchRequest request = sbatch_request(options, file.name(), context.report, used);
    Script script{.text = text,
                  .job = {.name = std::filesystem::path{file.name()}.stem().string(), .note = file.name()}};
    script.options = options;
    DraftQueueJob& job = script.job;
    const int nodes = request.nodes_or_one(), of_node = request.gpus_of_node();
    const int tasks = request.tasks_per_node > 0 ? request.tasks_per_node : std::max(1, request.tasks / nodes);
    job.tasks = nodes;
    job.gpus = static_cast<int>(std::min(1e6, request.gpus > 0 ? 1.0 * request.gpus : 1.0 * nodes * of_node));
    const double cpus = request.cpus_per_gpu > 0 && of_node > 0 ? 1.0 * of_node * request.cpus_per_gpu
                                                                : 1.0 * tasks * std::max(1, request.cpus_per_task);
    job.cpu_milli = static_cast<int>(std::min(1000.0 * cpus, 2e9));
    double limit = 0;
    for (const SbatchOption& option : options) {
      const ImportPlace place{file.name(), option.line};
      const auto is = [&](std::string_view name) { return option.name == name && !option.value.empty(); };
      if (is("job-name"))
        job.name = clean_text(option.value);
      else if (is("partition"))
        job.queue = clean_text(option.value.substr(0, option.value.find(',')));
      else if (is("account"))
        job.team = clean_text(option.value);
      else if (is("qos"))
        job.qos = clean_text(option.value);
      else if (is("reservation"))
        job.reservation = clean_text(option.value);
      else if (is("priority"))
        job.priority = std::clamp(as_number<double>(option.value).value_or(0), -1e9, 1e9);
      else if (is("mem"))
        job.memory_mib = mebibytes(option.value);
      else if (is("mem-per-gpu"))
        job.memory_mib = static_cast<int>(std::min(1.0 * mebibytes(option.value) * of_node, 2e9));
      else if (is("mem-per-cpu"))
        job.memory_mib = static_cast<int>(std::min(1.0 * mebibytes(option.value) * job.cpu_milli / 1000, 2e9));
      else if (option.name == "exclusive")
        job.whole = true;
      else if (is("time")) {
        limit = slurm_time(option.value, 60).value_or(0);
        if (limit <= 0)
          context.report.error(place, "--time '{}' is no time; write days-hours:minutes:seconds",
                               clean_text(option.value).substr(0, 60));
      } else if (is("array")) {
        const auto [list, most] = cut(option.value, '%');
        job.copies = array_elements(list, 0);
        job.array_limit = as_index(most).value_or(0);
        if (job.copies == 0)
          context.report.error(place, "--array '{}' is no list of numbers; write for example 1-10%2",
                               clean_text(option.value).substr(0, 60));
        job.copies = std::max(1, job.copies);
      } else if (!used.contains(option.name)) {
        context.report.ignored("--" + clean_text(option.name).substr(0, 60), fate_of(option.name, sbatch_fates), place);
      }
    }
    if (!request.gpu.empty())
      job.gpu_type = context.gpu(clean_text(request.gpu).substr(0, 60), {file.name(), 0});
    script.limit = limit;
    context.draft.launched = {.gpus = job.gpus, .per_node = of_node, .gpu = job.gpu_type};
    const ImportPlace place{file.name(), 0};
    const bool named =
        !context.options.model.empty() || (job.copies == 1 && starts_training(text) &&
                                           !model_of_script(text, request.variables(), place, context).empty());
    if (job.gpus > 0 && named && alone) {
      script.training = read_script_training(text, request.variables(), of_node, place, context);
      script.training->layout.name = job.name;
      start_fewer(*script.training, nodes, context);
      note_launched(script.training->layout, context.draft.launched);
    }
    scripts_.push_back(std::move(script));
  }

  void finish(ImportContext& context) const override
  {
    Draft& draft = context.draft;
    const bool given = !draft.jobs.empty(); // by a file that the script starts
    if (scripts_.size() == 1 && (given || scripts_.front().training))
      tell_own_machines(scripts_.front(), context.report);
    if (given && scripts_.size() == 1) {
      if (scripts_.front().training)
        read_settings_of(*scripts_.front().training, given, context);
      context.report.understood({scripts_.front().job.note, 0}, "the script starts job {} on {}",
                                draft.jobs.front().name, counted(scripts_.front().job.tasks, "machine"));
      return;
    }
    if (scripts_.size() == 1 && scripts_.front().training) {
      if (!read_settings_of(*scripts_.front().training, false, context))
        add_trained(scripts_.front().training->layout, context);
      return;
    }
    if (!draft.trace_file.empty()) {
      context.report.ignored(counted(scripts_.size(), "job script"), "the jobs are those of the accounting file");
      return;
    }
    UniqueNames names;
    for (Script& script : scripts_) {
      script.job.name = names.of(script.job.name);
      set_time(script.job, script.text, script.limit, context);
      for (const SbatchOption& option : script.options)
        if (option.name == "mem" && mebibytes(option.value) == 0 && !script.job.whole)
          context.report.ignored("--mem=0", "all memory of a machine is not asked for: others may run beside the job",
                                 {script.job.note, option.line});
      context.report.understood({script.job.note, 0}, "job {}: {}, {}", script.job.name,
                                counted(script.job.tasks, "machine"), counted(script.job.gpus, "GPU"));
      draft.queue_jobs.push_back(std::move(script.job));
    }
    context.report.assumed("all jobs are submitted at time 0", "scripts do not say when");
    give_whole_machines(context);
    if (draft.orchestrator.empty())
      draft.orchestrator = "slurm";
    draft.ask("how long do these jobs of Slurm wait?");
  }

private:
  struct Script {
    std::string text;
    std::vector<SbatchOption> options;
    DraftQueueJob job;
    double limit = 0;                       // of its run time; 0: none
    std::optional<ScriptTraining> training; // where a model is named
  };

  /// What a training does not need that has its machines for itself.
  static void tell_own_machines(const Script& script, ImportReport& report)
  {
    constexpr KeyFate own{"time partition account qos reservation priority mem mem-per-cpu mem-per-gpu exclusive",
                          "the machines are this job's own: nothing waits for them, and it ends with its last step"};
    for (const SbatchOption& option : script.options)
      if (const std::string_view why = fate_of(option.name, std::span{&own, 1}); why != unknown_key)
        report.ignored("--" + option.name, why, {script.job.note, option.line});
  }

  /// What starts the ranks may start fewer than the job has GPUs.
  static void start_fewer(const ScriptTraining& training, int nodes, ImportContext& context)
  {
    DraftLaunch& launched = context.draft.launched;
    const int each = training.start_each > 0 ? std::min(training.start_each, launched.per_node) : launched.per_node;
    const int told = training.start_machines > 0 ? training.start_machines : nodes;
    const int ranks = std::min(told, 100'000) * std::min(std::max(training.start_each, each), 1024);
    const int machines = std::min(nodes, (ranks + each - 1) / std::max(1, each));
    if (machines * each >= launched.gpus)
      return;
    context.report.assumed({"{} of {} GPUs train", machines * each, launched.gpus},
                           "the script starts no more ranks: the job's other GPUs do nothing, and are left out",
                           training.layout.place);
    launched.gpus = machines * each;
    launched.per_node = each;
  }

  static void set_time(DraftQueueJob& job, const std::string& text, double limit, ImportContext& context)
  {
    const ImportPlace place{job.note, 0};
    if (const double sleeps = sleep_in_script(text); sleeps > 0) {
      job.duration_s = limit > 0 ? std::min(sleeps, limit) : sleeps;
      job.estimate_s = limit;
      return;
    }
    job.duration_s = limit > 0 ? limit : context.options.duration_s > 0 ? context.options.duration_s : 3600;
    context.report.assumed({"job {} runs for {}", job.name, seconds_text(job.duration_s)},
                           limit > 0 ? "its limit (--time); the script does not say how long it takes"
                                     : "the script has no --time; --assume-duration TIME chooses another",
                           place);
  }

  mutable std::vector<Script> scripts_;
};

TY_REGISTER(Importer, Sbatch, "sbatch",
            "job scripts of Slurm: options of sbatch in lines #SBATCH (machines, GPUs, limit, arrays)");

} // namespace
} // namespace trainyard
