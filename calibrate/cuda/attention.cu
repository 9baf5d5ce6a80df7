// SPDX-License-Identifier: Apache-2.0
// Fused attention by cuDNN's graph interface, forward (with the statistics that training needs) and backward, in bf16,
// without a mask. 16,384 tokens in all and 2,048 / width heads. Size: flop, 4 x tokens^2 x width for each head and
// sequence forward, 2.5 times as many backward.
//
// Checked before timing: with equal values the output is that value; with queries of 0 every score is equal, and the
// gradient of the values is that of the output.
#include "calibrate/cuda/cudnn_graph.hpp"

#include <cmath>

namespace trainyard::calibrate::gpu {
namespace {

constexpr int first_version = 91300; // with attention as one operation

#if CUDNN_VERSION >= 91300

constexpr std::int64_t all_tokens = 16384, all_widths = 2048;

struct Sizes {
  std::int64_t sequences, heads, tokens, width;
  std::size_t count() const { return static_cast<std::size_t>(sequences * heads * tokens * width); }
  std::size_t rows() const { return static_cast<std::size_t>(sequences * heads * tokens); }
};

enum Tensor : TensorName { q = 1, k, v, o, stats, scale, one, d_q, d_k, d_v, d_o, row_sums, d_q_sums, first_inside };

/// The graphs of this file, whose tensors have one of four shapes.
class AttentionGraph : public OperationGraph
{
public:
  explicit AttentionGraph(const Sizes& sizes) : s_{sizes} {}

  /// sequences x heads x tokens x width; @p transposed: described as width x tokens
  void vectors(TensorName name, Place place, cudnnDataType_t type = CUDNN_DATA_BFLOAT16, bool transposed = false)
  {
    const std::int64_t head = s_.tokens * s_.width;
    if (transposed)
      tensor(name, type, {s_.sequences, s_.heads, s_.width, s_.tokens}, {s_.heads * head, head, 1, s_.width}, place);
    else
      tensor(name, type, {s_.sequences, s_.heads, s_.tokens, s_.width}, {s_.heads * head, head, s_.width, 1}, place);
  }
  /// One number for each row of scores.
  void rows(TensorName name, Place place)
  {
    tensor(name, CUDNN_DATA_FLOAT, {s_.sequences, s_.heads, s_.tokens, 1}, {s_.heads * s_.tokens, s_.tokens, 1, 1},
           place);
  }
  /// tokens x tokens of a head, never in memory
  TensorName scores(bool transposed = false)
  {
    const std::int64_t head = s_.tokens * s_.tokens;
    tensor(next_, transposed ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT, {s_.sequences, s_.heads, s_.tokens, s_.tokens},
           {s_.heads * head, head, transposed ? 1 : s_.tokens, transposed ? s_.tokens : 1}, Place::inside);
    return next_++;
  }
  TensorName inside() { return next_++; }
  void number(TensorName name) { tensor(name, CUDNN_DATA_FLOAT, {1, 1, 1, 1}, {1, 1, 1, 1}, Place::host); }

private:
  Sizes s_;
  TensorName next_ = first_inside;
};

AttentionGraph forward_graph(cudnnHandle_t handle, const Sizes& sizes)
{
  AttentionGraph graph{sizes};
  for (const TensorName name : {q, k, v, o})
    graph.vectors(name, Place::memory);
  graph.rows(stats, Place::memory);
  graph.number(scale);
  graph.operation(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR, {{CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, q},
                                                                {CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, k},
                                                                {CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, v},
                                                                {CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, o},
                                                                {CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC, stats},
                                                                {CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, scale}});
  graph.plan(handle, "fused attention forward");
  return graph;
}

/// The gradients, operation by operation (Dao et al., arXiv:2205.14135, appendix B): on Hopper cuDNN has them as one
/// kernel, but not as one operation. Keys and values are described transposed.
AttentionGraph backward_graph(cudnnHandle_t handle, const Sizes& sizes)
{
  AttentionGraph graph{sizes};
  for (const TensorName name : {q, o, d_q, d_k, d_v, d_o})
    graph.vectors(name, Place::memory);
  for (const TensorName name : {k, v})
    graph.vectors(name, Place::memory, CUDNN_DATA_BFLOAT16, true);
  graph.vectors(d_q_sums, Place::memory, CUDNN_DATA_FLOAT);
  graph.rows(stats, Place::memory);
  graph.rows(row_sums, Place::memory);
  graph.number(scale);
  graph.number(one);

  const TensorName products = graph.inside(), sums = graph.inside(), keys = graph.inside();
  graph.vectors(products, Place::inside, CUDNN_DATA_FLOAT);
  graph.rows(sums, Place::inside);
  graph.vectors(keys, Place::inside);
  graph.pointwise(CUDNN_POINTWISE_MUL, d_o, o, products);
  graph.sum(products, sums);
  graph.pointwise(CUDNN_POINTWISE_MUL, sums, one, row_sums);

  const auto next = [&](cudnnPointwiseMode_t mode, TensorName x, TensorName b) {
    const TensorName y = graph.scores();
    graph.pointwise(mode, x, b, y);
    return y;
  };
  const auto turned = [&](TensorName x) {
    const TensorName y = graph.scores(true);
    graph.reshape(x, y);
    return y;
  };
  const TensorName raw = graph.scores();
  graph.matmul(q, k, raw);
  const TensorName scaled = next(CUDNN_POINTWISE_MUL, raw, scale);
  const TensorName weights = next(CUDNN_POINTWISE_EXP, next(CUDNN_POINTWISE_SUB, scaled, stats), 0);
  graph.matmul(turned(weights), d_o, d_v);
  const TensorName d_weights = graph.scores();
  graph.matmul(d_o, v, d_weights);
  const TensorName d_raw = next(
      CUDNN_POINTWISE_MUL, next(CUDNN_POINTWISE_MUL, next(CUDNN_POINTWISE_SUB, d_weights, row_sums), weights), scale);
  graph.matmul(turned(d_raw), q, d_k);
  graph.reshape(k, keys);
  graph.matmul(d_raw, keys, d_q_sums);
  graph.pointwise(CUDNN_POINTWISE_IDENTITY, d_q_sums, 0, d_q);
  graph.plan(handle, "fused attention backward");
  return graph;
}

void expect(const Buffer& buffer, float expected, const char* what)
{
  check(cudaDeviceSynchronize());
  if (const float value = element(buffer, Type::bf16, 0); std::abs(value / expected - 1) > 0.02F)
    throw std::runtime_error{std::string{"fused attention is wrong: "} + what + " is " + std::to_string(value) +
                             " instead of " + std::to_string(expected)};
}

Samples attention(bool forward, const Sizes& sizes, const SamplingRule& rule)
{
  const Timer timer;
  const CudnnHandle library{timer.stream()};
  std::map<TensorName, std::unique_ptr<Buffer>> buffers;
  std::map<TensorName, void*> data;
  for (const TensorName tensor : {q, k, v, o, d_q, d_k, d_v, d_o})
    if (!forward || tensor <= o)
      buffers[tensor] = std::make_unique<Buffer>(sizes.count() * 2);
  for (const TensorName tensor : {stats, row_sums})
    buffers[tensor] = std::make_unique<Buffer>(sizes.rows() * sizeof(float));
  buffers[d_q_sums] = std::make_unique<Buffer>(forward ? 0 : sizes.count() * sizeof(float));
  for (const auto& [tensor, buffer] : buffers)
    data[tensor] = buffer->data();
  float factor = 1 / std::sqrt(static_cast<float>(sizes.width)), unit = 1;
  data[scale] = &factor;
  data[one] = &unit;
  buffers[q]->zero();
  fill_random(*buffers[k], Type::bf16, 0.5F, timer.stream());
  fill(*buffers[v], Type::bf16, 0.5F, timer.stream());
  const AttentionGraph there = forward_graph(library.handle, sizes);
  there.run(data);
  expect(*buffers[o], 0.5F, "the mean of equal values");
  std::function<void(cudaStream_t)> work = [&](cudaStream_t) { there.run(data); };
  std::unique_ptr<AttentionGraph> back;
  if (!forward) {
    fill(*buffers[d_o], Type::bf16, 0.25F, timer.stream());
    back = std::make_unique<AttentionGraph>(backward_graph(library.handle, sizes));
    work = [&](cudaStream_t stream) {
      check(cudaMemsetAsync(buffers[d_q_sums]->data(), 0, buffers[d_q_sums]->bytes(), stream));
      back->run(data);
    };
    work(timer.stream());
    expect(*buffers[d_v], 0.25F, "the gradient of the values");
  }
  for (const TensorName tensor : {q, k, v, d_o})
    if (buffers.contains(tensor))
      fill_random(*buffers[tensor], Type::bf16, 0.5F, timer.stream());
  there.run(data); // output and statistics that belong to the inputs
  return sample_on(timer, rule, work);
}

class Attention final : public GpuMeasurement
{
public:
  std::string missing(int device) const override
  {
    if (cudnnGetVersion() < static_cast<std::size_t>(first_version))
      return "cuDNN " + std::to_string(cudnnGetVersion()) + " is older than 9.13, which has attention as one operation";
    cudaDeviceProp facts{};
    check(cudaGetDeviceProperties(&facts, device));
    return facts.major < 8 ? "fused attention needs an A100 or newer" : "";
  }

  std::vector<GpuCase> cases(int, bool quick) const override
  {
    std::vector<GpuCase> list;
    for (const char* direction : {"forward", "backward"})
      for (const int width : {64, 128})
        for (const int tokens : quick ? std::vector{2048} : std::vector{512, 1024, 2048, 4096, 8192, 16384}) {
          const double flop = 4.0 * all_tokens * tokens * all_widths * (direction[0] == 'f' ? 1 : 2.5);
          list.push_back(
              {std::string{"gpu_attention."} + direction + "." + std::to_string(width) + "." + std::to_string(tokens),
               flop, "flop"});
        }
    return list;
  }

  /// "gpu_attention.forward.128.4096"
  Samples measure(const std::string& curve, double, int, const SamplingRule& rule) override
  {
    const std::size_t last = curve.rfind('.'), before = curve.rfind('.', last - 1);
    const std::int64_t tokens = std::stoll(curve.substr(last + 1)), width = std::stoll(curve.substr(before + 1));
    return attention(curve.find("forward") != std::string::npos,
                     {all_tokens / tokens, all_widths / width, tokens, width}, rule);
  }
};

#else

class Attention final : public GpuMeasurement
{
public:
  std::string missing(int) const override
  {
    return "built with cuDNN " + std::to_string(CUDNN_VERSION) + "; fused attention needs " +
           std::to_string(first_version) + " or newer";
  }
  std::vector<GpuCase> cases(int, bool) const override { return {}; }
  Samples measure(const std::string&, double, int, const SamplingRule&) override { return {}; }
};

#endif

TY_REGISTER(GpuMeasurement, Attention, "gpu_attention", "fused attention, forward and backward");

} // namespace
} // namespace trainyard::calibrate::gpu
