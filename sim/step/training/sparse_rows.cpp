// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/sparse_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard {

std::vector<Parameter> sparse_parameters()
{
  return {{.name = "sparse_gradients",
           .kind = "name",
           .default_value = "rows",
           .meaning =
               "gradients of tables of rows (embeddings): the rows that a step touches with their numbers, to and "
               "from servers, or all-gathered between workers; dense: as large as the table",
           .source = "TensorFlow: IndexedSlices; PyTorch: nn.Embedding(sparse=True); Horovod: sparse_as_dense",
           .choices = {"rows", "dense"}},
          {.name = "sparse_rows",
           .kind = "name",
           .default_value = "distinct",
           .meaning = "which of them travel: each row that a batch touches once, or one for each lookup",
           .source = "once: MXNet's row_sparse, Gloo's sparse all-reduce (coalesced); each lookup: TensorFlow's "
                     "IndexedSlices, which servers add up, and Horovod's all-gather of them",
           .choices = {"distinct", "all"}}};
}

void check_sparse_settings(const TrainingContext& context, Diagnostics& diagnostics)
{
  const Settings& settings = context.job.training.settings;
  const bool tables = std::ranges::any_of(context.dnn.layers, [](const Layer& layer) {
    return std::ranges::any_of(layer.parameters, [](const ParameterTensor& tensor) { return tensor.table.rows > 0; });
  });
  const bool dense = settings.text("sparse_gradients", "rows") == "dense";
  for (const char* key : {"sparse_gradients", "sparse_rows"})
    if (settings.has(key) && (!tables || (dense && key == std::string{"sparse_rows"})))
      diagnostics.warning({.path = context.job.path + ".training." + key},
                          "'" + std::string{key} + "' has no effect " +
                              (tables ? "with sparse_gradients: dense"
                                      : "on " + context.job.model +
                                            ", which has no table of rows; layers say so by 'rows' and 'lookups'"));
  for (const Layer& layer : context.dnn.layers)
    for (const ParameterTensor& tensor : layer.parameters)
      if (const double draws = tensor.table.lookups * context.job.batch_per_gpu; tensor.table.distinct > draws)
        diagnostics.error(
            {.path = context.job.path + ".model"},
            fmt::format("job '{}', layer '{}': 'distinct_rows' is {:.0f}, but a batch of {} samples looks "
                        "up only {:.0f} rows; give what this batch touches",
                        context.job.name, layer.name, tensor.table.distinct, context.job.batch_per_gpu, draws));
}

double exchanged_rows(const TrainingContext& context, const RowTable& table, int workers)
{
  // Micro-steps draw rows as further workers do: what is measured is of a batch.
  const double samples = context.job.batch_per_gpu;
  const double batches = static_cast<double>(workers) * std::max(context.job.accumulation_steps, 1);
  return context.job.training.settings.text("sparse_rows", "distinct") == "all" ? table.lookups * samples * batches
                                                                                : table.distinct_rows(samples, batches);
}

} // namespace trainyard
