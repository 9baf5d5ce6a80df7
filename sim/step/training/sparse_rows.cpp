// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/sparse_rows.hpp"

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
}

double exchanged_rows(const TrainingContext& context, const RowTable& table, int workers)
{
  const double samples = static_cast<double>(context.job.batch_per_gpu) * std::max(context.job.accumulation_steps, 1);
  return context.job.training.settings.text("sparse_rows", "distinct") == "all" ? table.lookups * samples * workers
                                                                                : table.distinct_rows(samples, workers);
}

} // namespace trainyard
