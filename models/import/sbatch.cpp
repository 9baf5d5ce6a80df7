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
#include "models/import/yaml_documents.hpp"
#include "models/job/traces/slurm_tres.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <tuple>

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
    const std::vector<std::vector<SbatchOption>> components = sbatch_components(text, file.name(), context.report);
    const std::size_t first = scripts_.size();
    context.draft.batch.has_scripts = true;
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
    script.request = request;
    DraftQueueJob& job = script.job;
    // What is open is one task of all, until the machines are known.
    const int nodes = request.is_open() ? 1 : request.nodes_or_one();
    const int of_node = request.is_open() ? request.gpus : request.gpus_of_node();
    const int tasks = request.tasks_per_node > 0 ? request.tasks_per_node : std::max(1, request.tasks / nodes);
    job.tasks = nodes;
    job.gpus = static_cast<int>(std::min(1e6, request.gpus > 0 ? 1.0 * request.gpus : 1.0 * nodes * of_node));
    const double cpus = request.cpus_per_gpu > 0 && of_node > 0 ? 1.0 * of_node * request.cpus_per_gpu
                                                                : 1.0 * tasks * std::max(1, request.cpus_per_task);
    job.cpu_milli = static_cast<int>(std::min(1000.0 * cpus, 2e9));
    double limit = 0;
    for (const SbatchOption& option : options) {
      script.has_memory |= option.name == "mem" || option.name.starts_with("mem-per-");
      script.memory_of_node |= option.name == "mem";
      script.memory_of_cpus |= option.name == "mem-per-cpu";
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
    name_gpus(script, {file.name(), 0}, context);
    script.limit = limit;
    context.draft.launched = {.gpus = job.gpus, .per_node = request.gpus_of_node(), .gpu = job.gpu_type};
    const ImportPlace place{file.name(), 0};
    const bool named =
        !context.options.model.empty() || (job.copies == 1 && starts_training(text) &&
                                           !model_of_script(text, request.variables(), place, context).empty());
    if (job.gpus > 0 && named && alone) {
      script.training = read_script_training(text, request.variables(), request.gpus_of_node(), place, context);
      script.training->layout.name = job.name;
      start_fewer(*script.training, request.nodes_or_one(), context);
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
                                draft.jobs.front().name, counted(scripts_.front().request.nodes_or_one(), "machine"));
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
      ask_as_partition_does(script, context);
      name_cut_gpus(script, context);
      const int machines = spread(script, context);
      set_time(script, context);
      if (const std::string why = refused(script.job, machines, context); !why.empty()) {
        context.report.ignored("job " + script.job.name, "never starts: " + why, {script.job.note, 0});
        continue;
      }
      for (const SbatchOption& option : script.options)
        if (option.name == "mem" && mebibytes(option.value) == 0 && !script.job.whole)
          context.report.ignored("--mem=0", "all memory of a machine is not asked for: others may run beside the job",
                                 {script.job.note, option.line});
      context.report.understood({script.job.note, 0}, "job {}: {}, {}", script.job.name,
                                script.job.spread
                                    ? counted(script.job.tasks, "task") + " on as many machines as they need"
                                    : counted(script.job.tasks, "machine"),
                                counted(script.job.gpus, "GPU"));
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
    SbatchRequest request;
    DraftQueueJob job;
    double limit = 0;                       // of its run time; 0: none
    bool has_memory = false;                // it says how much
    bool memory_of_node = false;            // so much on each machine
    bool memory_of_cpus = false;            // by their number
    std::optional<ScriptTraining> training; // where a model is named
  };

  /// What a training does not need that has its machines for itself.
  static void tell_own_machines(const Script& script, ImportReport& report)
  {
    if (const SbatchRequest& request = script.request; request.is_open() && request.nodes_or_one() > 1)
      report.assumed(
          {"{} with {} each", counted(request.nodes_or_one(), "machine"), counted(request.gpus_of_node(), "GPU")},
          "the script has no --nodes; a machine has 8 GPUs at most", {script.job.note, 0});
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

  /// The type of GPU, and the part of one that MIG slices are: --gres=gpu:a100_1g.10gb:2.
  static void name_gpus(Script& script, const ImportPlace& place, ImportContext& context)
  {
    DraftQueueJob& job = script.job;
    const std::string type = clean_text(script.request.gpu).substr(0, 60);
    const auto profile = mig_profile(type);
    const std::string name = profile ? without_mig_profile(type) : type;
    if (!name.empty())
      job.gpu_type = context.gpu(name, place, profile ? mig_memory(*profile) : 0);
    if (!profile || job.gpus == 0)
      return;
    const SlurmGpus held = slurm_gpus(
        {.nodes = 1.0 * job.tasks, .gpus = 1.0 * job.gpus, .slices = {{*profile, job.gpus}}, .cut_type = name});
    job.gpus = held.gpus;
    job.gpu_milli = held.milli;
    job.tasks = job.gpus % job.tasks == 0 ? job.tasks : 0;
    context.report.assumed("jobs on MIG slices hold the part of a GPU that these are, or whole GPUs",
                           "slices count by their compute slices; what does not fit on one takes whole ones", place);
  }

  /// Slices without a type of GPU, on machines that no file names.
  static void name_cut_gpus(Script& script, const ImportContext& context)
  {
    if (const auto profile = mig_profile(script.request.gpu);
        profile && script.job.gpu_type.empty() && context.draft.machines.empty())
      script.job.gpu_type =
          context.unknown_gpu({script.job.note, 0}, "the slices of MIG do not name a type", usual_mig_gpu(*profile));
  }

  /// The default partition, and what a partition gives to jobs that do not say it: DefMemPerCPU, DefCpuPerGPU …
  static void ask_as_partition_does(Script& script, ImportContext& context)
  {
    DraftQueueJob& job = script.job;
    const DraftBatch& batch = context.draft.batch;
    const ImportPlace place{job.note, 0};
    if (job.queue.empty() && !batch.default_partition.empty()) {
      job.queue = batch.default_partition;
      context.report.understood(place, "without --partition: the default one, {}", job.queue);
    } else if (job.queue.empty() && !batch.rules.partitions.empty()) {
      context.report.assumed("jobs without --partition may use all machines", "no partition has Default=YES", place);
    }
    const auto value = [&](const char* key) { return slurm_partition_value(context.draft, job.queue, key); };
    const double gpus = 1.0 * job.gpus / std::max(1, job.tasks); // of a task
    const SbatchRequest& request = script.request;
    if (const double cpus = number_of(value("defcpupergpu"), 0) * gpus;
        cpus > 0 && request.cpus_per_task == 0 && request.cpus_per_gpu == 0) {
      job.cpu_milli = static_cast<int>(std::min(1000 * cpus, 2e9));
      context.report.understood(place, "job {} has DefCpuPerGPU {}", job.name, value("defcpupergpu"));
    }
    if (script.has_memory)
      return;
    for (const auto& [key, times] : {std::pair{"defmempergpu", gpus}, std::pair{"defmempercpu", job.cpu_milli / 1000.0},
                                     std::pair{"defmempernode", 1.0}})
      if (const double each = number_of(value(key), 0); each * times > 0) {
        job.memory_mib = static_cast<int>(std::min(each * times, 2e9));
        script.memory_of_node = std::string_view{key} == "defmempernode";
        script.memory_of_cpus = std::string_view{key} == "defmempercpu";
        context.report.understood(place, "job {} has {} of its partition: {} MiB", job.name, key, job.memory_mib);
        return;
      }
  }

  /// Machines that the job has at least. Without their number in the script its tasks lie where there is room, several
  /// on one machine. Source: sbatch(1), --nodes.
  static int spread(Script& script, const ImportContext& context)
  {
    DraftQueueJob& job = script.job;
    const SbatchRequest& request = script.request;
    int most = 0;
    double cores = 0;
    for (const DraftMachines* one : slurm_machines_of(context.draft, job.queue)) {
      most = std::max(most, one->gpus);
      cores = std::max(cores, one->cpu_cores);
    }
    if (most == 0)
      most = context.options.gpus_per_node > 0 ? context.options.gpus_per_node : 8;
    const auto times = [](double all, double each) { return static_cast<int>(std::ceil(all / each - 1e-9)); };
    const double cpus = job.cpu_milli / 1000.0;
    const int for_cpus = cores > 0 ? std::max(1, times(cpus, cores)) : 1;
    if (!request.is_open()) {
      const bool unsaid = request.nodes == 0 && request.tasks_per_node == 0 && job.tasks == 1 && job.gpu_milli == 1000;
      if (unsaid && request.tasks >= for_cpus && for_cpus > 1) { // GPUs of a machine are said, not how many machines
        job.cpu_milli = times(job.cpu_milli, for_cpus);
        job.memory_mib = script.memory_of_cpus ? times(job.memory_mib, for_cpus) : job.memory_mib;
        job.gpus *= for_cpus;
        job.tasks = for_cpus;
      }
      return std::max(1, job.tasks);
    }
    const bool by_task = request.tasks > 1 && job.gpus % request.tasks == 0;
    const int tasks = by_task ? request.tasks : request.tasks > 1 || job.gpus > most ? job.gpus : 1;
    const int machines = std::max(for_cpus, times(job.gpus, most));
    if (tasks <= 1 || job.gpu_milli < 1000)
      return 1;
    const double each = request.tasks_per_node > 0 ? machines : 1; // what is said of a machine, times these
    job.cpu_milli = times(std::min(2e9, job.cpu_milli * each), tasks);
    job.memory_mib = times(job.memory_mib * (script.memory_of_node   ? machines
                                             : script.memory_of_cpus ? each
                                                                     : 1.0),
                           tasks);
    job.tasks = tasks;
    job.spread = true;
    return machines;
  }

  /// Why Slurm never starts the job in its partition; empty: it does. Source: slurm.conf(5).
  static std::string refused(const DraftQueueJob& job, int machines, ImportContext& context)
  {
    const auto value = [&](const char* key) { return slurm_partition_value(context.draft, job.queue, key); };
    const std::string of = "its partition has ";
    if (const std::string state = lower_case(value("state")); !state.empty() && state != "up")
      return of + "State=" + value("state");
    if (const double most = number_of(value("maxnodes"), 0); most > 0 && machines > most)
      return fmt::format("{}MaxNodes={:g}, and it needs {}", of, most, machines);
    if (const double most = number_of(value("maxcpuspernode"), 0); most > 0 && job.cpu_milli > 1000 * most)
      return fmt::format("{}MaxCPUsPerNode={:g}, and it needs {:g}", of, most, job.cpu_milli / 1000.0);
    for (const auto& [key, own, only] : {std::tuple{"allowaccounts", &job.team, true},
                                         {"denyaccounts", &job.team, false},
                                         {"allowqos", &job.qos, true},
                                         {"denyqos", &job.qos, false}}) {
      const std::string list = value(key);
      if (list.empty() || lower_case(list) == "all")
        continue;
      if (own->empty())
        context.report.assumed({"{} of the partition lets jobs in that name no account or QOS", key},
                               "whose default it is the files do not say", {job.note, 0});
      const std::vector<std::string> names = split(list, ',');
      if (!own->empty() && (std::ranges::find(names, *own) != names.end()) != only)
        return fmt::format("{}{}={}, and it is of {}", of, key, list, *own);
    }
    return "";
  }

  /// The limit of a script without --time is DefaultTime of its partition, else MaxTime. Source: slurm.conf(5).
  static void set_time(Script& script, ImportContext& context)
  {
    DraftQueueJob& job = script.job;
    const auto of_partition = [&](const char* key) {
      return slurm_time(slurm_partition_value(context.draft, job.queue, key), 60).value_or(0);
    };
    const double usual = script.limit > 0 ? 0 : of_partition("defaulttime");
    const double limit = script.limit > 0 ? script.limit : usual > 0 ? usual : of_partition("maxtime");
    job.estimate_s = limit;
    if (const double sleeps = sleep_in_script(script.text); sleeps > 0) {
      job.duration_s = limit > 0 ? std::min(sleeps, limit) : sleeps;
      return;
    }
    const double given = context.options.duration_s;
    const double unsaid = given > 0 ? given : usual > 0 ? usual : 3600;
    job.duration_s = script.limit > 0 ? limit : limit > 0 ? std::min(unsaid, limit) : unsaid;
    context.report.assumed({"job {} runs for {}", job.name, seconds_text(job.duration_s)},
                           script.limit > 0 ? "its limit (--time); the script does not say how long it takes"
                           : usual > 0      ? "the script has no --time: DefaultTime of its partition is its limit; "
                                              "--assume-duration TIME chooses another"
                                            : "the script has no --time; --assume-duration TIME chooses another",
                           {job.note, 0});
  }

  mutable std::vector<Script> scripts_;
};

TY_REGISTER(Importer, Sbatch, "sbatch",
            "job scripts of Slurm: options of sbatch in lines #SBATCH (machines, GPUs, limit, arrays)");

} // namespace
} // namespace trainyard
