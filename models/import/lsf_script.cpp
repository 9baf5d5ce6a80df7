// SPDX-License-Identifier: Apache-2.0
// Job scripts of LSF and OpenLava: the options of bsub in lines that begin with #BSUB. Each script is a job of the
// queue. Sources: IBM Spectrum LSF, bsub(1) and "Resource requirement strings" (span, rusage); OpenLava, bsub(1).
#include "models/core/key_fates.hpp"
#include "models/core/text.hpp"
#include "models/hardware/mig.hpp"
#include "models/import/hostlist.hpp"
#include "models/import/launch_script.hpp"
#include "models/import/slurm_parts.hpp"
#include "models/import/training_command.hpp"
#include "models/import/yaml_documents.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <set>

namespace trainyard {
namespace {

constexpr double most_slots = 1e6;

/// Words of a line of options; quotes hold blanks together.
std::vector<std::string> option_words(std::string_view line)
{
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool inside = false;
  for (const char c : std::string{line} + " ")
    if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? '\0' : c;
      inside = true;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\r')) {
      if (inside)
        words.push_back(std::exchange(word, {}));
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  return words;
}

/// The text behind "key=" up to a sign that ends it; empty where the key is not there as a word.
std::string setting(const std::string& text, const std::string& key)
{
  for (std::size_t at = text.find(key + "="); at != std::string::npos; at = text.find(key + "=", at + 1))
    if (at == 0 || std::string_view{"[:, ("}.find(text[at - 1]) != std::string_view::npos) {
      const std::size_t from = at + key.size() + 1;
      return text.substr(from, text.find_first_of(":,] )", from) - from);
    }
  return {};
}

/// "[hours:]minutes[/host]" in seconds; 0 where it is none.
double run_limit(const std::string& text)
{
  const std::string time = text.substr(0, text.find('/'));
  const std::size_t colon = time.find(':');
  const double minutes = number_of(colon == std::string::npos ? time : time.substr(colon + 1), -1);
  const double hours = colon == std::string::npos ? 0 : number_of(time.substr(0, colon), -1);
  return minutes < 0 || hours < 0 ? 0 : std::min(hours * 3600 + minutes * 60, 1e9);
}

constexpr std::string_view no_effect_here = "has no effect on the simulation";
constexpr KeyFate bsub_flags[]{
    {"-x", used_key},
    {"-B -N -Ne -K -r -rn -I -Ip -Is -IS -ISp -ISs -IX -H -XF -tty -ul -Zs -ar -pack", no_effect_here}};
constexpr KeyFate bsub_values[]{
    {"-n -nnodes -W -We -q -P -U -sp -J -R -gpu", used_key},
    {"-M", "lsb.params says whether memory is of a slot or of a host"},
    {"-w", "give jobs that wait for each other 'after' in the scenario"},
    {"-m", "the placement policy chooses the machines"},
    {"-a -app -b -c -C -alloc_flags -core_isolation -ln_mem -ln_slots -cn_cu -cn_mem -csm -cwd -D -data "
     "-datagrp -E -e -env -eo -Ep -eptl -ext -F -f -freq -G -g -hostfile -i -is -jobaff -Jd -jsm -k -L -Lp -mig "
     "-network -notify -o -oo -outdir -p -Q -rnc -S -s -sla -smt -stage -step_cgroup -T -t -u -v -wa -wt",
     no_effect_here}};

/// One script while it is read.
class LsfScript
{
public:
  LsfScript(const InputFile& file, ImportContext& context) : file_{file}, context_{context}
  {
    job_.name = std::filesystem::path{file.name()}.stem().string();
    job_.note = file.name();
  }

  void read()
  {
    std::string body;
    int number = 0;
    const std::string text = file_.text();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at);
      place_ = {file_.name(), ++number};
      at = end + 1;
      if (line.starts_with("#BSUB"))
        options(option_words(std::string_view{line}.substr(5)));
      else
        body += line + "\n";
    }
    place_ = {file_.name(), 0};
    read_jsrun(text);
    set_size();
    if (starts_training(body))
      context_.report.ignored("arguments of the training that the script starts",
                              "a job of LSF runs for its limit (-W); without the lines #BSUB its training is read",
                              place_);
    set_time(sleep_in_script(body));
    context_.report.understood(place_, "job {}: {}, {}, {}", job_.name, counted(slots_, "slot"),
                               counted(std::max(1, job_.tasks), "host"), counted(job_.gpus, "GPU"));
    context_.draft.queue_jobs.push_back(std::move(job_));
  }

private:
  void options(const std::vector<std::string>& words)
  {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& option = words[i];
      if (!option.starts_with('-')) { // the command
        if (option.starts_with('#'))
          return;
        context_.report.ignored("command in a line of #BSUB", "what the job runs does not change how long", place_);
        return;
      }
      const bool more = i + 1 < words.size() && (words[i + 1] == "-" || !words[i + 1].starts_with('-'));
      const std::string_view of_flag = fate_of(option, bsub_flags), of_value = fate_of(option, bsub_values);
      if (option == "-x") {
        job_.whole = true;
      } else if (of_flag != unknown_key) {
        context_.report.ignored(option, std::string{of_flag}, place_);
      } else if (of_value == unknown_key) {
        context_.report.ignored(option, "unknown option of bsub", place_);
        i += more ? 1 : 0;
      } else if (!more) {
        context_.report.error(place_, "'{}' has no value", option);
      } else {
        take(option, words[++i]);
      }
    }
  }

  void take(const std::string& option, const std::string& value)
  {
    if (option == "-n")
      slots_ = count(value.substr(value.find(',') == std::string::npos ? 0 : value.find(',') + 1), "slots");
    else if (option == "-nnodes") {
      nodes_ = count(value, "hosts");
      job_.whole = true; // Source: bsub(1), -nnodes: compute nodes of the job
    } else if (option == "-W" || option == "-We")
      take_time(option == "-W" ? limit_ : estimate_, option, value);
    else if (option == "-q")
      job_.queue = value;
    else if (option == "-P")
      job_.team = value;
    else if (option == "-U")
      job_.reservation = value;
    else if (option == "-sp")
      job_.priority = std::clamp(number_of(value, 0), -1e9, 1e9);
    else if (option == "-J")
      take_name(value);
    else if (option == "-R")
      take_resources(value);
    else if (option == "-gpu")
      gpu_ = value == "-" ? "num=1" : value;
    else
      context_.report.ignored(option, fate_of(option, bsub_values), place_);
  }

  int count(const std::string& text, const char* what)
  {
    return count_of(text, static_cast<int>(most_slots), 1, what, place_, context_.report);
  }

  void take_time(double& time, const std::string& option, const std::string& value)
  {
    time = run_limit(value);
    if (time <= 0)
      context_.report.error(place_, "{} '{}' is no time; write minutes or hours:minutes", option, value);
    if (value.find('/') != std::string::npos)
      context_.report.assumed({"{} counts on a machine like the one it was written for", option},
                              "LSF scales it by the speed of the host behind '/'", place_);
  }

  /// "name", "name[1-10:2]%5".
  void take_name(const std::string& value)
  {
    const std::size_t open = value.find('['), close = value.find(']');
    if (open > 0)
      job_.name = value.substr(0, open);
    if (open == std::string::npos)
      return;
    const int elements = close == std::string::npos ? 0 : array_elements(value.substr(open + 1, close - open - 1), 1);
    if (elements == 0) {
      context_.report.error(place_, "'{}' is no array; write for example name[1-10]%2", value);
      return;
    }
    job_.copies = elements;
    if (const std::size_t most = value.find('%', close); most != std::string::npos)
      job_.array_limit = count(value.substr(most + 1), "elements at once");
    context_.report.understood(place_, "array of {}", counted(elements, "job"));
  }

  void take_resources(const std::string& value)
  {
    if (const std::string tile = setting(value, "ptile"); !tile.empty())
      tile_ = count(tile, "slots of a host");
    if (setting(value, "hosts") == "1")
      tile_ = static_cast<int>(most_slots);
    for (const char* key : {"ngpus_physical", "ngpus_excl_p", "ngpus_shared", "ngpus", "gpu", "gpus"})
      if (const std::string gpus = setting(value, key); !gpus.empty() && gpu_.empty())
        gpu_ = "num=" + gpus.substr(0, gpus.find('.'));
    if (!setting(value, "mem").empty())
      context_.report.ignored("rusage[mem]", "lsb.params says whether memory is of a slot or of a host", place_);
    if (value.find("select[") != std::string::npos)
      context_.report.ignored("select[…]", "all hosts that are given may run the job", place_);
  }

  /// Resource sets of "jsrun -n 24 -a 1 -c 7 -g 1 -r 6": how many, of a host, GPUs and cores of each. Those of the run
  /// with the most GPUs count. Source: IBM Job Step Manager, jsrun(1).
  void read_jsrun(const std::string& text)
  {
    const std::vector<ScriptWord> words = script_words(text);
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i].text == "jsrun")
        read_jsrun(words, i);
  }

  void read_jsrun(const std::vector<ScriptWord>& words, std::size_t at)
  {
    const int line = words[at].line, command = words[at].command;
    std::map<std::string, std::string> said;
    for (++at; at < words.size() && words[at].command == command && words[at].text.starts_with('-'); ++at) {
      const std::string& word = words[at].text;
      const std::size_t end = word.starts_with("--") ? word.find('=') : word.size() > 2 ? 2 : std::string::npos;
      std::string value = end == std::string::npos ? "" : word.substr(end + (word.starts_with("--") ? 1 : 0));
      if (end == std::string::npos && at + 1 < words.size())
        value = words[++at].text;
      said[word.substr(0, end)] = value;
    }
    const auto number = [&](const char* brief, const char* full, int otherwise) {
      const std::string text = said.contains(brief) ? said[brief] : said[full];
      return std::clamp(as_index(text).value_or(otherwise), 0, 100'000);
    };
    const int hosts = std::max(1, nodes_), gpus = number("-g", "--gpu_per_rs", 0);
    const int all = number("-n", "--nrs", hosts * number("-r", "--rs_per_host", 1));
    const int of_host = number("-r", "--rs_per_host", (all + hosts - 1) / hosts);
    if (1LL * all * gpus < sets_.gpus)
      return;
    sets_ = {.gpus = static_cast<int>(std::min(1e6, 1.0 * all * gpus)),
             .cores_of_host = of_host * number("-c", "--cpu_per_rs", 1)};
    context_.report.understood({file_.name(), line}, "jsrun: {} of {} and {}, {} of a host",
                               counted(all, "resource set"), counted(gpus, "GPU"),
                               counted(number("-c", "--cpu_per_rs", 1), "core"), of_host);
  }

  /// Hosts, and the GPUs on them. Source: bsub(1), -gpu: "By default, the number is per host".
  void set_size()
  {
    slots_ = std::max(1, slots_);
    const int hosts = nodes_ > 0 ? nodes_ : tile_ > 0 ? (slots_ + tile_ - 1) / tile_ : 1;
    const int of_host = nodes_ > 0 ? (slots_ + nodes_ - 1) / nodes_ : tile_ > 0 ? std::min(tile_, slots_) : slots_;
    if (nodes_ == 0 && tile_ == 0 && slots_ > 1)
      context_.report.assumed("slots are on one host", "the script has no span[ptile=…] that divides them", place_);
    job_.tasks = hosts;
    job_.cpu_milli = static_cast<int>(std::min(1000.0 * std::max(of_host, sets_.cores_of_host), 2e9));
    job_.gpus = sets_.gpus;
    if (gpu_.empty())
      return;
    const std::string number = setting(gpu_, "num");
    const int each = number.empty() ? 1 : count(number.substr(0, number.find('/')), "GPUs");
    const bool per_task = number.ends_with("/task");
    job_.gpus = static_cast<int>(std::min(1.0 * each * (per_task ? slots_ : hosts), 1e6));
    if (job_.gpus % hosts != 0)
      job_.tasks = 0;
    if (const std::string model = setting(gpu_, "gmodel"); !model.empty())
      job_.gpu_type = context_.gpu(model, place_);
    if (setting(gpu_, "mode") != "exclusive_process" && setting(gpu_, "j_exclusive") != "yes")
      context_.report.assumed("jobs have their GPUs alone",
                              "without mode=exclusive_process or j_exclusive=yes LSF may give them to others too",
                              place_);
    if (const double size = number_of(setting(gpu_, "mig").substr(0, 1), 0); size >= 1 && size <= 7)
      set_slices({.compute = static_cast<int>(size)});
  }

  /// GPUs that are slices of MIG; those of a host lie on its own GPUs.
  void set_slices(const MigProfile& profile)
  {
    const MigGpu gpu = mig_gpu(job_.gpu_type, 0, profile);
    const int slices = job_.gpus, hosts = std::max(1, job_.tasks);
    const int gpus = hosts * mig_gpus({{profile, slices / hosts}}, gpu);
    const double share = slices * mig_share(profile, gpu);
    job_.gpus = gpus;
    if (gpus == 1 && share < 0.9995)
      job_.gpu_milli = thousandths(share);
    context_.report.assumed(
        {"{} of MIG are {}", counted(slices, "slice"),
         job_.gpu_milli < 1000 ? fmt::format("{:.3g} of a GPU", share) : counted(gpus, "whole GPU")},
        {"the GPU has {} compute slices", gpu.compute}, place_);
  }

  void set_time(double sleeps)
  {
    const double limit = limit_ > 0 ? limit_ : 1e9;
    if (sleeps > 0 || estimate_ > 0) {
      job_.duration_s = std::min(sleeps > 0 ? sleeps : estimate_, limit);
      job_.estimate_s = limit_;
      context_.report.understood(place_, "job {} runs for {}", job_.name, seconds_text(job_.duration_s));
    } else if (limit_ > 0) {
      job_.duration_s = limit_;
      context_.report.assumed("jobs last as long as their run limit (-W)", "the script does not say how long it takes",
                              place_);
    } else {
      job_.duration_s = context_.options.duration_s > 0 ? context_.options.duration_s : 3600;
      context_.report.assumed({"job {} runs for {}", job_.name, seconds_text(job_.duration_s)},
                              "the script has no run limit (-W); --assume-duration TIME chooses another", place_);
    }
  }

  const InputFile& file_;
  ImportContext& context_;
  ImportPlace place_;
  DraftQueueJob job_;
  int slots_ = 1;
  int tile_ = 0;  // slots of a host; 0: not said
  int nodes_ = 0; // hosts; 0: not said
  struct {
    int gpus = 0, cores_of_host = 0;
  } sets_; // of jsrun
  double limit_ = 0;
  double estimate_ = 0;
  std::string gpu_; // "num=2:mode=shared"; empty: none
};

class Lsf final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    return file.head().starts_with("#BSUB ") || file.has("\n#BSUB ");
  }
  int rank() const override { return 2; }
  std::string description() const override { return "job script of LSF"; }
  std::vector<KeyTable> keys() const override
  {
    return {{"#BSUB -n 1\n#BSUB KEY\n", bsub_flags}, {"#BSUB -n 1\n#BSUB KEY 7\n", bsub_values}};
  }
  void read(const InputFile& file, ImportContext& context) const override { LsfScript{file, context}.read(); }

  void finish(ImportContext& context) const override
  {
    if (context.draft.queue_jobs.empty())
      return;
    if (!context.draft.trace_file.empty()) {
      context.report.ignored(counted(context.draft.queue_jobs.size(), "job") + " of job scripts",
                             "the jobs are those of the accounting file");
      context.draft.queue_jobs.clear();
      return;
    }
    UniqueNames names;
    for (DraftQueueJob& job : context.draft.queue_jobs)
      job.name = names.of(job.name);
    context.report.assumed("all jobs are submitted at time 0", "scripts do not say when");
    give_whole_machines(context);
    context.draft.ask("how long do these jobs of LSF wait?");
  }
};

TY_REGISTER(Importer, Lsf, "lsf",
            "job scripts of LSF and OpenLava: options of bsub in lines #BSUB (slots, GPUs, run limit, arrays)");

} // namespace
} // namespace trainyard
