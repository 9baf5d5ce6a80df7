// SPDX-License-Identifier: Apache-2.0
#include "models/core/data_folder.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/figure_text.hpp"
#include "models/hardware/catalogue.hpp"
#include "sim/app/layout_input.hpp"
#include "sim/app/terminal.hpp"
#include "sim/report/table.hpp"
#include "sim/sources/parallel/parallel_job.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace trainyard::app {
namespace {

std::vector<Option> layout_options()
{
  std::vector<Option> list{{"MODEL", "", "",
                            "transformer of the catalogue (simrun list models), or a config.json of Hugging Face",
                            "list models", true},
                           {"--gpus", "", "N", "number of GPUs", "", true}};
  for (Option& option : layout_input_options())
    list.push_back(std::move(option));
  list.insert(list.end(), {{"--precision",
                            "",
                            "NAME",
                            "precision of matrix products (default bf16)",
                            "",
                            false,
                            false,
                            {"bf16", "fp16", "fp8", "mxfp8", "nvfp4"}},
                           {"--top", "", "N", "layouts to show (default 8)"},
                           {"--json", "", "", "print JSON"}});
  return list;
}

nlohmann::ordered_json json_of(const FoundLayout& found)
{
  const ParallelLayout& l = found.layout;
  const ParallelStep& s = found.step;
  return {{"layout", to_text(l)},
          {"tp", l.tp},
          {"pp", l.pp},
          {"vp", l.vp},
          {"dp", l.dp},
          {"cp", l.cp},
          {"ep", l.ep},
          {"sequence_parallel", l.sequence_parallel},
          {"zero", l.zero},
          {"micro_batch", l.micro_batch},
          {"recomputation", to_text(l.recomputation)},
          {"recompute_modules", l.recomputed},
          {"layers_per_stage", l.layers_per_stage},
          {"step_s", s.step.value()},
          {"tokens_per_second", s.tokens_per_second},
          {"model_flop_utilisation", s.model_flop_utilisation},
          {"gpu_memory_B", s.memory.total().value()},
          {"why_slower", found.why_slower}};
}

std::string search_text(const LayoutSearch& search, const ParallelJob& job, int gpus, bool colour)
{
  std::string text =
      fmt::format("{} on {} {}, {} sequences of {} tokens a step: {} layouts, {} of them need more than "
                  "the GPU's {:.0f} GiB\n\n",
                  job.transformer.name, gpus, job.gpu.name, job.layout.global_batch,
                  job.layout.sequence > 0 ? job.layout.sequence : job.transformer.sequence, count_text(search.examined),
                  count_text(search.too_large), job.gpu.memory.value() / (1U << 30U));
  std::vector<std::vector<TableCell>> rows;
  rows.reserve(search.best.size());
  for (const FoundLayout& found : search.best)
    rows.push_back({{to_text(found.layout)},
                    {time_text(found.step.step)},
                    {rate_text(found.step.tokens_per_second)},
                    {percent_text(found.step.model_flop_utilisation)},
                    {fmt::format("{:.0f} GiB", found.step.memory.total().value() / (1U << 30U))},
                    {found.why_slower.empty() ? "fastest" : found.why_slower}});
  return text +
         table_text({{"layout", false}, {"step"}, {"tokens/s"}, {"MFU"}, {"memory"}, {"why it is slower", false}}, rows,
                    colour) +
         layout_basis(job.gpu);
}

int layouts(const Arguments& arguments)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  const std::string model = arguments.value("MODEL");
  const int gpus = static_cast<int>(arguments.whole_number("--gpus", 1, 1, most_gpus_asked));
  const std::vector<std::string> types = gpu_types(arguments, catalogue);
  if (types.size() != 1)
    throw InputError{"layouts takes one --gpu; simrun plan --gpus looks at several"};
  const ParallelJob job = layout_job(arguments, catalogue, model, types.front(), gpus);
  const LayoutLimits limits = layout_limits(arguments.value("--parallel"));
  Progress progress{arguments};
  const auto tell = [&](std::size_t done, std::size_t total) { progress.report(done, total, "layouts"); };
  const LayoutSearch search = search_layouts(job, gpus, arguments.whole_number("--top", 8, 1), tell, limits);
  if (search.best.empty()) {
    if (search.examined == 0)
      throw InputError{fmt::format(
          "no layout of {} divides {} GPUs and {} sequences{}; give another --gpus or "
          "--global-batch{}",
          model, gpus, job.layout.global_batch,
          arguments.has("--parallel") ? " with --parallel " + arguments.value("--parallel") : "",
          arguments.has("--parallel") ? ", or other values of --parallel\n  " + why_no_layout(job, limits, gpus) : "")};
    const int needed = fewest_gpus(job, 65536, limits, tell);
    progress.clear();
    print(fmt::format("{} fits into no {} {}: the leanest of {} layouts needs {:.1f} of {:.1f} GiB{}\n", model, gpus,
                      job.gpu.name, count_text(search.examined), search.least_memory.value() / (1U << 30U),
                      job.gpu.memory.value() / (1U << 30U),
                      needed > 0 ? fmt::format("; it fits from {} GPUs on", needed) : std::string{}));
    return goal_not_met;
  }
  progress.clear();
  if (arguments.has("--json")) {
    nlohmann::ordered_json json = {{"model", model},
                                   {"gpus", gpus},
                                   {"gpu", job.gpu.name},
                                   {"precision", job.layout.precision},
                                   {"examined", search.examined},
                                   {"too_large", search.too_large}};
    for (const FoundLayout& found : search.best)
      json["layouts"].push_back(json_of(found));
    print(json.dump(2) + "\n");
  } else {
    print(search_text(search, job, gpus, wants_colour(arguments, stdout)));
    ParallelJob fastest = job;
    fastest.layout = search.best.front().layout;
    if (const std::string price = tensor_across_machines(fastest); !price.empty())
      print_diagnostics({{Severity::warning, {}, price, {}}}, arguments);
  }
  return done;
}

[[maybe_unused]] const bool layouts_registered = register_command(
    {"layouts",
     "find the fastest way to divide a transformer among GPUs",
     "Looks at every combination of tensor, pipeline, context, expert and data parallelism, virtual stages, "
     "micro-batch, "
     "recomputation and\nZeRO by closed form, leaves out what does not fit into memory, and says why the others are "
     "slower. Ends with exit code 3 if the\nmodel fits nowhere, and says how many GPUs would hold it.",
     layout_options(),
     {{"simrun layouts llama3_70b --gpus 512", "on H100 in machines of eight"},
      {"simrun layouts llama3.1_405b --gpus 1024 --gpu H200-SXM --precision fp8 --sequence 8192 --global-batch 2048",
       "another GPU, precision and batch"}},
     layouts});

} // namespace
} // namespace trainyard::app
