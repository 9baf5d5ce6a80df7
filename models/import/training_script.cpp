// SPDX-License-Identifier: Apache-2.0
// Scripts of a shell that start a training on machines of their own: torchrun, accelerate, deepspeed, mpirun,
// horovodrun. Sources: torch/distributed/run.py; accelerate, commands/launch.py; deepspeed/launcher/runner.py;
// horovod/runner/launch.py; mpirun(1) of Open MPI.
#include "models/import/training_command.hpp"

#include <algorithm>
#include <filesystem>

namespace trainyard {
namespace {

class TrainingScript final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    const std::size_t start = file.head().find_first_not_of(" \t\r\n");
    const bool data = start == std::string_view::npos || file.head()[start] == '{' || file.head()[start] == '<';
    return !data && starts_training(std::string{file.head()});
  }
  int rank() const override { return -1; } // a file of DeepSpeed runs on its machines
  std::string description() const override { return "script that starts a training"; }
  std::vector<KeyTable> keys() const override
  {
    return {{"torchrun --nproc-per-node 8 train.py --model llama3_8b --KEY\n", trainer_key_fates()}};
  }

  void read(const InputFile& file, ImportContext& context) const override
  {
    ScriptTraining training = read_script_training(file.text(), {}, 0, {file.name(), 0}, context);
    ParallelDraft& d = training.layout;
    d.name = std::filesystem::path{file.name()}.stem().string();
    d.per_node = training.each;
    const int machines = training.machines > 0 ? training.machines : context.options.nodes;
    d.gpus = static_cast<int>(std::min(1e6, 1.0 * std::max(1, machines) * training.each));
    if (training.each > 0 && machines == 0)
      context.report.assumed("1 machine", "the command names no number; --nodes N chooses another", d.place);
    context.draft.launched = {.gpus = d.gpus, .per_node = d.per_node};
    note_launched(d, context.draft.launched);
    trainings_.push_back(std::move(training));
  }

  void finish(ImportContext& context) const override
  {
    const bool given = !context.draft.jobs.empty(); // by a file that the script starts
    for (ScriptTraining& training : trainings_)
      if (!read_settings_of(training, given, context))
        add_trained(std::move(training.layout), context);
  }

private:
  mutable std::vector<ScriptTraining> trainings_;
};

TY_REGISTER(Importer, TrainingScript, "training-script",
            "scripts that start a training: torchrun, accelerate, deepspeed, mpirun, horovodrun");

} // namespace
} // namespace trainyard
