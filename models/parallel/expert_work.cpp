// SPDX-License-Identifier: Apache-2.0
// Read in pytorch/torchtitan 003edbe5 and 08dc75ae (models/moe/moe.py), KempnerInstitute/KempnerForge 195da595
// (kempnerforge/model/moe.py) and bc775fe1 (distributed/expert_parallel.py), huggingface/transformers from v4.36 on.
#include "models/parallel/expert_work.hpp"

namespace trainyard {
namespace {

/// Kernels of the router, forward: to fp32, softmax, the best (2), their scores normalised (3), counted (2 x 2), sorted
/// (6), their scores and tokens in this order (3). Backward: scores in place (2), normalised (5), softmax, to 16 bit.
constexpr double router_kernels = 20, router_kernels_backward = 9;

/// Bytes of the router's scores, T x experts of them: to fp32 (6 B), softmax (8 B), twice read for the best (8 B);
/// backward a gradient of zeros (4 B), softmax (12 B), to 16 bit (6 B).
constexpr double score_bytes = 22, score_bytes_backward = 22;

} // namespace

double busiest_rank(const Transformer& t, const ParallelLayout& l)
{
  if (t.experts <= 1 || l.ep <= 1)
    return 1;
  const double held = 1.0 * t.experts / l.ep;
  const double others = (t.experts - l.expert_imbalance) / (t.experts - 1.0);
  return (l.expert_imbalance + (held - 1) * others) / held;
}

double routed_rows(const Transformer& t, const ParallelLayout& l, double tokens)
{
  if (t.experts <= 1)
    return tokens;
  return tokens * t.active_experts * (l.experts_by() == "padded" ? l.expert_imbalance : busiest_rank(t, l));
}

ExpertOperators expert_operators(const Transformer& t, const ParallelLayout& l, double tokens, double experts)
{
  const std::string kernels = l.experts_by();
  const double sent = tokens * t.active_experts * busiest_rank(t, l);
  const double routed = 2 * sent * t.hidden, whole = 2 * tokens * t.hidden;
  const double scores = tokens * t.experts;
  ExpertOperators made;
  made.rows = routed_rows(t, l, tokens) / experts;
  if (kernels == "fused") {
    made.forward = {4 * routed, 6};
    made.backward = {4 * routed, 4};
    return made;
  }
  made.forward = {score_bytes * scores, router_kernels};
  made.backward = {score_bytes_backward * scores, router_kernels_backward};
  const auto add = [](ExpertOperators::Pass& pass, double bytes, double count) {
    pass.bytes += bytes;
    pass.kernels += count;
  };
  if (kernels == "grouped") {
    const bool fused = l.fuses().activation;
    add(made.forward, (11 + (fused ? 2 : 10)) * routed + whole, fused ? 12 : 15);
    add(made.backward, (14 + (fused ? 4 : 18)) * routed + whole, fused ? 12 : 18);
    made.waits = l.ep > 1 ? 1 : 0; // sizes of the all-to-all
  } else if (kernels == "padded") {
    const double padded = 2 * routed_rows(t, l, tokens) * t.hidden;
    const double again = l.ep > 1 ? 1 : 0;
    add(made.forward, (12 + 4 * again) * routed + padded + whole, 12 + 2 * experts + 10 * again);
    add(made.backward, (11 + 8 * again + 6 * experts) * routed + 6 * experts * padded, 12 + 16 * experts + 12 * again);
    made.waits = 2 + 2 * again; // bincount and its list; sizes of the all-to-all
  } else {
    add(made.forward, 7 * routed + whole, 9 * experts);
    add(made.backward, 10 * routed + 4 * experts * whole, 14 * experts);
    made.waits = experts;
    made.activation = experts;
    made.apart = true;
  }
  return made;
}

} // namespace trainyard
