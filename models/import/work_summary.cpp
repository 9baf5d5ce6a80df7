// SPDX-License-Identifier: Apache-2.0
#include "models/import/work_summary.hpp"

#include "models/dnn/builder.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace trainyard {

void add_work(const WorkSummary& work, ImportContext& context)
{
  ImportReport& report = context.report;
  DraftJob job{.name = work.name, .workers = std::clamp(work.ranks, 1, 100'000), .note = to_text(work.place)};
  if (work.ranks < 1)
    report.assumed("one rank", "the trace does not say how many there are", work.place);
  const double elements = work.all_reduce_bytes / std::max(work.element_bytes, 1.0);
  if (!context.options.model.empty()) {
    job.model = context.options.model;
    report.assumed("the job trains " + job.model, "given by --model", work.place);
  } else if (elements >= 1) {
    std::string nearest;
    double distance = 0.01;
    for (const std::string& name : Registry<DnnSource>::instance().names()) {
      if (name.ends_with("_tensor") || name.ends_with("_tensors")) // synthetic: any size
        continue;
      const Transformer* transformer = find_transformer(name); // thousands of tensors, where it has experts
      const double parameters =
          transformer != nullptr ? transformer->parameters() : build_dnn(name).parameter_elements();
      const double off = std::abs(parameters / elements - 1);
      if (off < distance) {
        distance = off;
        nearest = name;
      }
    }
    if (!nearest.empty()) {
      job.model = nearest;
      report.assumed("the job trains " + nearest,
                     {"its gradients have {:.4g} M elements, as many as the trace exchanges", elements / 1e6},
                     work.place);
    } else {
      job.model = fmt::format("{{name: even_tensors, elements: {:.0f}}}", elements);
      report.assumed({"gradients of {:.4g} M elements in 12 equal tensors", elements / 1e6},
                     "no network of the catalogue has as many", work.place);
    }
  } else {
    job.model = "{name: one_tensor, elements: 1}";
    report.assumed("no gradients are exchanged", "the trace has no all-reduce with a size", work.place);
  }
  job.batch_per_gpu = work.batch > 0 ? work.batch : context.options.batch_per_gpu;
  if (work.compute_s > 0) {
    job.single_gpu_step = fmt::format("{:.6g} s", work.compute_s);
    report.understood(work.place, "computing takes {:.4g} ms per step", work.compute_s * 1e3);
  } else if (work.flop > 0) {
    job.single_gpu_step = fmt::format("{:.6g} s", std::max(1e-9, work.flop / 50e12));
    report.assumed({"computing takes {}", job.single_gpu_step}, {"{:.4g} Gflop at 50 Tflop/s", work.flop / 1e9},
                   work.place);
  } else {
    job.single_gpu_step = "1 us";
    report.assumed("computing takes almost no time", "the trace has no computing time", work.place);
  }
  context.draft.ask("how does this step scale, and what would a faster network save?");
  if (!context.draft.network.topology.empty() && !context.draft.machines.empty()) { // of a file of the same cluster
    if (context.draft.gpus() < job.workers)
      report.error(work.place, "{} in the traces, and the network has {}", counted(job.workers, "rank"),
                   counted(context.draft.gpus(), "device"));
    context.draft.jobs.push_back(std::move(job));
    return;
  }
  DraftMachines machines{.name = "node", .gpu = work.gpu, .note = to_text(work.place)};
  machines.gpus = work.per_node > 0 ? std::clamp(work.per_node, 1, 64) : std::min(8, job.workers);
  machines.count = (job.workers + machines.gpus - 1) / machines.gpus;
  if (machines.gpu.empty())
    machines.gpu = context.unknown_gpu(work.place, "the trace does not name a GPU");
  if (work.per_node == 0)
    report.assumed({"{} with {}", counted(machines.count, "machine"), counted(machines.gpus, "GPU")},
                   "the trace does not say where its ranks ran", work.place);
  context.draft.machines.push_back(std::move(machines));
  context.draft.jobs.push_back(std::move(job));
}

} // namespace trainyard
