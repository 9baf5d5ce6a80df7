// SPDX-License-Identifier: Apache-2.0
// What the images, the command and the names of a training say of it, whatever file they stand in.
#pragma once
#include "models/import/importer.hpp"
#include "models/import/launch_keys.hpp"
#include "models/import/parallel_draft.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Words of a command line, quotes kept together.
std::vector<std::string> command_words(const std::string& text);

/// --name=value, --name value, or with one dash. A flag without a value has an empty one.
struct CommandFlag {
  std::string written;     // with its dashes
  std::string name, value; // "_" of names as "-"; "-b" behind a program is "batch-size", others of its kind keep a dash
  int line = 0;
};
/// @p variables: the environment of the command, which may stand in values.
std::vector<CommandFlag> flags_of(std::span<const std::string> command, int line = 0,
                                  const std::map<std::string, std::string>& variables = {});
/// Of the first flag with one of these names that has a value; else empty.
std::string flag_value(std::span<const CommandFlag> flags, std::span<const std::string_view> names);

/// Words of a name without its numbers: "tf-ps0" has tf and ps.
std::vector<std::string> words_of_name(const std::string& name);
/// What the name of a service, a flag or a task says: worker, ps, or nothing.
std::string role_named(const std::string& name);
/// The network of the catalogue that a text (image, command) names; empty where none.
std::string model_named_in(const std::string& text);

/// The framework of the jobs where an image is of one ("tensorflow/tensorflow:1.4.0-gpu"); the first counts.
void note_framework(const std::string& image, const ImportPlace& place, ImportContext& context);
/// The same, where something else says it. @p version may be empty.
void set_framework(const std::string& name, const std::string& version, const std::string& by, const ImportPlace& place,
                   ImportContext& context);

/// Of environment variables, each with its line, those that stand in @p text; all are told.
std::map<std::string, std::string> variables_in(const std::string& text,
                                                const std::map<std::string, std::pair<std::string, int>>& variables,
                                                const std::string& file, ImportReport& report);

/// What the arguments of a training say of its precision, batch and memory, by the names of the Trainer of transformers
/// (training_args.py), accelerate and Lightning, and what programs of others have in common with them. A precision that
/// nobody says is empty. @p of_machine: GPUs of a machine.
void read_trainer(LaunchKeys& keys, ParallelDraft& draft, int of_machine, ImportReport& report);
/// The precision of a divided transformer: 16 or 8 bit.
void set_divided_precision(ParallelDraft& draft, ImportReport& report);
/// Setting of `training` for workers in containers or pods with so many GPUs: each is a process, also beside others on
/// a machine.
std::string processes_of_containers(int gpus);

/// Arguments of trainings, and of what starts them, that nothing is made of.
std::span<const KeyFate> trainer_key_fates();

/// The containers that a command starts: how many, and GPUs of each.
struct CommandRanks {
  int containers = 0, gpus = 0;
};
/// Network, batch, steps, precision and layout of the job; flags that nothing is made of are told. @p text: images and
/// commands, which may name a network.
void read_training_command(std::span<const CommandFlag> flags, const std::string& text, const CommandRanks& ranks,
                           const ImportPlace& place, ImportContext& context, DraftJob& job);

/// Whether a command or a script starts ranks of a program of Python (torchrun, accelerate, deepspeed, mpirun, srun …)
/// that is not named after what serves or evaluates a model.
bool starts_training(const std::string& text);

/// The training that a script of a shell starts by torchrun, accelerate, deepspeed, mpirun or srun.
struct ScriptTraining {
  ParallelDraft layout;                    // its model is empty where the arguments name none that is known
  int machines = 0, each = 0;              // with ranks, and ranks of one, as the arguments say; 0: they do not
  int start_machines = 0, start_each = 0;  // the same, as torchrun, deepspeed or accelerate is told
  std::optional<LaunchKeys::Key> settings; // the argument that names a file of DeepSpeed
  std::string settings_text;               // of that file, where the script writes it; at its lines of the script
};
/// @p variables are set before the script. @p of_machine: GPUs of a machine, where something else says them.
ScriptTraining read_script_training(const std::string& text, std::map<std::string, std::string> variables,
                                    int of_machine, const ImportPlace& place, ImportContext& context);
/// Reads the file of DeepSpeed that the script writes, unless @p given with it, and says what became of that file.
/// Whether there is one.
bool read_settings_of(const ScriptTraining& training, bool given, ImportContext& context);
/// What its arguments say, for a file of the training that leaves it to them.
void note_launched(const ParallelDraft& training, DraftLaunch& launched);
/// Makes the job and its machines: divided as the arguments say, else every GPU holds the whole model.
void add_trained(ParallelDraft training, ImportContext& context);
/// The network that the arguments name, if it is known; else empty.
std::string model_of_script(const std::string& text, std::map<std::string, std::string> variables,
                            const ImportPlace& place, ImportContext& context);

/// How long a script of a shell waits that does nothing else ("echo begins; sleep 20m"), in seconds; 0 where it does
/// more, so that nobody knows. Commands in the background run beside the others: "sleep 30 & sleep 60" is 60 s, with
/// "wait" behind them the longest counts. Loops, pipes, substitutions and variables in a time are not known.
double sleep_in_script(const std::string& script);

/// The same for a command line: "sleep 30m", or a shell with its script ("bash -c …").
double sleep_in_command(const std::vector<std::string>& words);

} // namespace trainyard
