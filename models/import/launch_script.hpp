// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/import/launch_keys.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

/// An option of sbatch from the lines #SBATCH, under its long name without dashes.
struct SbatchOption {
  std::string name, value;
  int line = 0;
};
/// Of each component of a heterogeneous job, which lines "#SBATCH hetjob" part; of other jobs there is one. As sbatch
/// does, it stops at the first command of the script, or of each script in the file; lines behind it are told.
std::vector<std::vector<SbatchOption>> sbatch_components(std::string_view text, const std::string& file,
                                                         ImportReport& report);

/// What a job of Slurm asks for; 0 or empty: it does not say.
struct SbatchRequest {
  int nodes = 0, tasks = 0, tasks_per_node = 0, cpus_per_task = 0, cpus_per_gpu = 0;
  int gpus = 0, gpus_per_node = 0;
  std::string gpu; // as Slurm calls it
  int gpus_of_node() const;
  /// Without --nodes as many as hold what it asks for, of eight GPUs each.
  int nodes_or_one() const;
  /// Whether Slurm chooses the number of machines, by where there is room for the tasks.
  bool is_open() const
  {
    return nodes == 0 && gpus_per_node == 0 && (tasks_per_node == 0 ? tasks > 1 || gpus > 1 : tasks == 0 && gpus > 1);
  }
  /// SLURM_NNODES and the like, as the job sees them.
  std::map<std::string, std::string> variables() const;
};

/// Of the options that say it; the names of these are put into @p used. Numbers that cannot be read are errors of the
/// report.
SbatchRequest sbatch_request(const std::vector<SbatchOption>& options, const std::string& file, ImportReport& report,
                             std::set<std::string>& used);

struct ScriptWord {
  std::string text;
  int line = 0;
  int command = 0;      // words of one command have the same
  bool branch = false;  // inside if, case or a loop
  std::string variable; // that holds the word: ARGS in ARGS=(--a 1)
};

/// Words of a script of bash, without comments, with quotes removed; texts and lists with several words (ARGS="--a 1",
/// ARGS=(--a 1)) are their words. `$((…))`, `$(…)` and `${…}` stay whole.
std::vector<ScriptWord> script_words(const std::string& text);

/// Arguments ("--name value", "--name=value") of the commands of a script, with variables put in as bash does it:
/// defaults (${A:-1}), arithmetic ($((A * 2))), quotes. Of a variable that is set twice the last value counts. What
/// `echo` prints is no argument, and neither is a list of arguments that no command names.
class LaunchScript
{
public:
  /// @p variables are set before the script; @p lists: arguments with several values.
  LaunchScript(const std::string& text, std::map<std::string, std::string> variables,
               const std::set<std::string, std::less<>>& lists);

  /// The arguments, by their names without dashes.
  void put_into(LaunchKeys& keys) const;
  std::optional<std::string> variable(const std::string& name) const;
  /// GPUs that CUDA_VISIBLE_DEVICES names; 0: it is not set, or does not say how many.
  int visible_gpus(const ImportPlace& place, ImportReport& report) const;
  /// "$A", "${A:-1}", "$((A * 2))" and Kubernetes' "$(A)" anywhere in a word; what cannot be evaluated stays.
  std::string expanded(std::string_view text, int depth = 0);
  /// Arguments in branches, and lists that no command names, are told.
  void tell(const std::string& file, ImportReport& report) const;

private:
  void take(const std::vector<ScriptWord>& words, const std::set<std::string, std::less<>>& lists);
  void assign(const std::string& name, const std::string& value, const ScriptWord& word);
  std::string value_of(std::string_view inside, std::string_view whole, int depth);

  std::map<std::string, LaunchKeys::Key> arguments_;
  std::map<std::string, std::string> variables_;
  std::set<std::string> referenced_;
  std::map<std::string, int> unused_lists_;
  std::vector<int> branch_lines_;
};

} // namespace trainyard
