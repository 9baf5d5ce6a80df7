// SPDX-License-Identifier: Apache-2.0
#include "models/core/pieces.hpp"
#include "models/core/text.hpp"
#include "models/job/traces/trace_importer.hpp"

#include <algorithm>
#include <map>

namespace trainyard {
namespace {

/// Pods of Alibaba's GPU-sharing cluster (Weng et al., "Beware of Fragmentation", ATC 2023). Some files of the artefact
/// have no column memory_mib; lists of tasks without times are for packing (all at once, nobody leaves).
class OpenbPods final : public TraceImporter
{
public:
  bool recognises(std::string_view head, const std::filesystem::path&) const override
  {
    return head.starts_with("name,cpu_milli,memory_mib,num_gpu") || head.starts_with("name,cpu_milli,num_gpu");
  }

  void read(std::string_view text, const std::filesystem::path& file, const TraceOptions&,
            ImportedTrace& trace) const override
  {
    TraceTable table{text, file, {"name", "cpu_milli", "num_gpu", "gpu_milli"}};
    trace.without_times = !table.has("creation_time");
    if (trace.without_times)
      trace.audit.add("list of tasks without times", "they can be packed, in any order (workload: {packing: {}})", 0);
    Workload& workload = trace.workload;
    std::map<std::string, int> allowed; // several GPU types -> demands
    table.for_each(trace.audit, [&](std::int64_t number) {
      const auto cpu = table.number("cpu_milli"), gpus = table.number("num_gpu");
      const auto memory = table.has("memory_mib") ? table.number("memory_mib") : std::optional{0.0};
      const auto submit = trace.without_times ? std::optional{0.0} : table.number("creation_time");
      if (!cpu || !memory || !gpus || !submit || *gpus < 0 || *gpus > 32)
        return trace.audit.add("resources or time that cannot be read", "left out", number);
      const auto end = table.number("deletion_time"), start = table.number("scheduled_time");
      if (!start && !trace.without_times)
        trace.audit.add("pod that was never scheduled", "kept: its run time is the time from creation to deletion",
                        number);
      TraceJob job;
      job.submit = Seconds{*submit};
      if (!end && !trace.without_times)
        trace.audit.add("pod without an end", "kept with a run time of zero", number);
      if (start && plausible_time(*start - *submit))
        trace.waits.emplace_back(number, Seconds{*start - *submit});
      job.duration = job.estimate = Seconds{end ? std::max(0.0, *end - start.value_or(*submit)) : 0.0};
      job.gpus = static_cast<int>(*gpus);
      job.tasks = 1;
      job.gpu_milli =
          *gpus == 1 ? static_cast<int>(std::clamp(table.number("gpu_milli").value_or(1000), 1.0, 1000.0)) : 1000;
      job.cpu_milli = static_cast<int>(*cpu);
      job.memory_mib = static_cast<int>(*memory);
      job.team = workload.teams.index_of(table.cell("qos"));
      job.row = number;
      if (const std::string_view spec = table.cell("gpu_spec"); !spec.empty()) {
        // One type is asked for; of several, any will do: machines have the label gpu=TYPE.
        const auto known = allowed.find(std::string{spec});
        if (spec.find('|') == std::string_view::npos) {
          job.gpu_type = index_among(workload.gpu_types, spec);
        } else if (known != allowed.end()) {
          job.demands = known->second;
        } else {
          NodeDemands demands;
          for (const std::string& type : split(spec, '|'))
            demands.any_of.push_back("gpu=" + type);
          job.demands = static_cast<int>(workload.demands.size());
          workload.demands.push_back(std::move(demands));
          allowed.emplace(spec, job.demands);
        }
      }
      workload.jobs.push_back(job);
      workload.job_names.emplace_back(table.cell("name"));
    });
  }
};

TY_REGISTER(TraceImporter, OpenbPods, "openb_pods", "Alibaba openb pods: fractional GPUs, CPU, memory (FGD, ATC 2023)");

/// The machines of the same cluster.
class OpenbNodes final : public TraceImporter
{
public:
  bool recognises(std::string_view head, const std::filesystem::path&) const override
  {
    return head.starts_with("sn,cpu_milli,memory_mib,gpu,model");
  }

  void read(std::string_view text, const std::filesystem::path& file, const TraceOptions&,
            ImportedTrace& trace) const override
  {
    TraceTable table{text, file, {"sn", "cpu_milli", "memory_mib", "gpu", "model"}};
    table.for_each(trace.audit, [&](std::int64_t number) {
      const auto cpu = table.number("cpu_milli"), memory = table.number("memory_mib"), gpus = table.number("gpu");
      if (!cpu || !memory || !gpus || *gpus < 0 || *gpus > 32)
        return trace.audit.add("resources that cannot be read", "left out", number);
      trace.machines.push_back({.name = std::string{table.cell("sn")},
                                .gpus = static_cast<int>(*gpus),
                                .cpu_milli = static_cast<std::int64_t>(*cpu),
                                .memory_mib = static_cast<std::int64_t>(*memory),
                                .gpu_type = index_among(trace.gpu_types, table.cell("model"))});
    });
  }
};

TY_REGISTER(TraceImporter, OpenbNodes, "openb_nodes", "Alibaba openb machines");

} // namespace
} // namespace trainyard
