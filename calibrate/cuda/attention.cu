// SPDX-License-Identifier: Apache-2.0
// Fused attention by cuDNN's graph interface, forward (with the statistics that training needs) and backward, in bf16,
// without a mask. 16,384 tokens in all and 2,048 / width heads. Size: flop, 4 x tokens^2 x width for each head and
// sequence forward, 2.5 times as many backward.
//
// Checked before timing: with equal values the output is that value; with queries of 0 every score is equal, and the
// gradient of the values is that of the output.
#include "calibrate/cuda/gpu.hpp"

#include <cudnn.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>

namespace trainyard::calibrate::gpu {
namespace {

constexpr int first_version = 91300; // with attention as one operation

#if CUDNN_VERSION >= 91300

void check(cudnnStatus_t status, std::source_location where = std::source_location::current())
{
  if (status != CUDNN_STATUS_SUCCESS)
    fail(std::string{"cuDNN: "} + cudnnGetErrorString(status), where);
}
using ::trainyard::calibrate::gpu::check;

constexpr std::int64_t all_tokens = 16384, all_widths = 2048;

/// A descriptor of the graph interface that destroys itself.
class Descriptor
{
public:
  explicit Descriptor(cudnnBackendDescriptorType_t type) { check(cudnnBackendCreateDescriptor(type, &raw_)); }
  ~Descriptor()
  {
    if (raw_ != nullptr)
      cudnnBackendDestroyDescriptor(raw_);
  }
  Descriptor(Descriptor&& other) noexcept : raw_{other.raw_} { other.raw_ = nullptr; }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  cudnnBackendDescriptor_t raw() const { return raw_; }
  template <class T>
  Descriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const T* values, int count = 1)
  {
    check(cudnnBackendSetAttribute(raw_, name, type, count, values));
    return *this;
  }
  Descriptor& set(cudnnBackendAttributeName_t name, const Descriptor& other)
  {
    return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, &other.raw_);
  }
  void finish() { check(cudnnBackendFinalize(raw_)); }

private:
  cudnnBackendDescriptor_t raw_ = nullptr;
};

enum Tensor : std::int64_t { q = 1, k, v, o, stats, scale, d_q, d_k, d_v, d_o };

struct Sizes {
  std::int64_t sequences, heads, tokens, width;
  std::size_t count() const { return static_cast<std::size_t>(sequences * heads * tokens * width); }
};

Descriptor tensor_of(Tensor which, const Sizes& s)
{
  Descriptor tensor{CUDNN_BACKEND_TENSOR_DESCRIPTOR};
  const bool one = which == scale;
  const std::int64_t width = which == stats ? 1 : s.width;
  const std::array<std::int64_t, 4> dims = one ? std::array<std::int64_t, 4>{1, 1, 1, 1}
                                               : std::array<std::int64_t, 4>{s.sequences, s.heads, s.tokens, width};
  const std::array<std::int64_t, 4> strides{one ? 1 : s.heads * s.tokens * width, one ? 1 : s.tokens * width,
                                            one ? 1 : width, 1};
  const std::int64_t name = which, alignment = one ? 4 : 16;
  const cudnnDataType_t type = one || which == stats ? CUDNN_DATA_FLOAT : CUDNN_DATA_BFLOAT16;
  tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, &name)
      .set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, &type)
      .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, &alignment)
      .set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, dims.data(), 4)
      .set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, strides.data(), 4);
  const bool by_value = one;
  if (by_value)
    tensor.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, &by_value);
  tensor.finish();
  return tensor;
}

/// One operation as a plan that the library's heuristics chose.
class Plan
{
public:
  Plan(cudnnHandle_t handle, bool forward, const Sizes& sizes) : handle_{handle}
  {
    Descriptor operation{forward ? CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR
                                 : CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR};
    const std::vector<std::pair<cudnnBackendAttributeName_t, Tensor>> ends =
        forward
            ? std::vector<
                  std::pair<cudnnBackendAttributeName_t, Tensor>>{{CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, q},
                                                                  {CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, k},
                                                                  {CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, v},
                                                                  {CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, o},
                                                                  {CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC, stats},
                                                                  {CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, scale}}
            : std::vector<std::pair<cudnnBackendAttributeName_t, Tensor>>{
                  {CUDNN_ATTR_OPERATION_SDPA_BWD_QDESC, q},         {CUDNN_ATTR_OPERATION_SDPA_BWD_KDESC, k},
                  {CUDNN_ATTR_OPERATION_SDPA_BWD_VDESC, v},         {CUDNN_ATTR_OPERATION_SDPA_BWD_ODESC, o},
                  {CUDNN_ATTR_OPERATION_SDPA_BWD_STATSDESC, stats}, {CUDNN_ATTR_OPERATION_SDPA_BWD_SCALEDESC, scale},
                  {CUDNN_ATTR_OPERATION_SDPA_BWD_DQDESC, d_q},      {CUDNN_ATTR_OPERATION_SDPA_BWD_DKDESC, d_k},
                  {CUDNN_ATTR_OPERATION_SDPA_BWD_DVDESC, d_v},      {CUDNN_ATTR_OPERATION_SDPA_BWD_DODDESC, d_o}};
    std::vector<Descriptor> tensors;
    for (const auto& [name, tensor] : ends) {
      tensors.push_back(tensor_of(tensor, sizes));
      operation.set(name, tensors.back());
      names_.push_back(tensor);
    }
    operation.finish();
    Descriptor graph{CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR};
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, &handle_)
        .set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation)
        .finish();
    Descriptor heuristics{CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR};
    const cudnnBackendHeurMode_t mode = CUDNN_HEUR_MODE_A;
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
        .set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, &mode)
        .finish();
    std::vector<Descriptor> choices;
    std::vector<cudnnBackendDescriptor_t> raw;
    for (int i = 0; i < most_choices; ++i) {
      choices.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
      raw.push_back(choices.back().raw());
    }
    std::int64_t found = 0;
    check(cudnnBackendGetAttribute(heuristics.raw(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                   most_choices, &found, raw.data()));
    for (std::int64_t i = 0; i < found && !plan_; ++i) {
      auto plan = std::make_unique<Descriptor>(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
      plan->set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, &handle_)
          .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, choices[static_cast<std::size_t>(i)]);
      if (cudnnBackendFinalize(plan->raw()) == CUDNN_STATUS_SUCCESS) // the first that this chip can run
        plan_ = std::move(plan);
    }
    if (!plan_)
      throw std::runtime_error{std::string{"cuDNN has no plan for fused attention "} +
                               (forward ? "forward" : "backward")};
    std::int64_t bytes = 0;
    check(cudnnBackendGetAttribute(plan_->raw(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, nullptr,
                                   &bytes));
    workspace_ = std::make_unique<Buffer>(static_cast<std::size_t>(bytes));
  }

  void run(const std::map<Tensor, void*>& data) const
  {
    std::vector<void*> pointers;
    for (const std::int64_t name : names_)
      pointers.push_back(data.at(static_cast<Tensor>(name)));
    void* workspace = workspace_->data();
    Descriptor pack{CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR};
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, names_.data(), static_cast<int>(names_.size()))
        .set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, pointers.data(),
             static_cast<int>(pointers.size()))
        .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, &workspace)
        .finish();
    check(cudnnBackendExecute(handle_, plan_->raw(), pack.raw()));
  }

private:
  static constexpr int most_choices = 8;

  cudnnHandle_t handle_;
  std::vector<std::int64_t> names_;
  std::unique_ptr<Descriptor> plan_;
  std::unique_ptr<Buffer> workspace_;
};

struct Handle {
  cudnnHandle_t handle = nullptr;
  explicit Handle(cudaStream_t stream)
  {
    check(cudnnCreate(&handle));
    check(cudnnSetStream(handle, stream));
  }
  ~Handle() { cudnnDestroy(handle); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
};

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
  const Handle library{timer.stream()};
  std::map<Tensor, std::unique_ptr<Buffer>> buffers;
  std::map<Tensor, void*> data;
  for (const Tensor tensor : {q, k, v, o, d_q, d_k, d_v, d_o})
    if (forward ? tensor <= o : true)
      buffers[tensor] = std::make_unique<Buffer>(sizes.count() * 2);
  buffers[stats] = std::make_unique<Buffer>(sizes.count() / static_cast<std::size_t>(sizes.width) * 4);
  for (const auto& [tensor, buffer] : buffers)
    data[tensor] = buffer->data();
  float factor = 1 / std::sqrt(static_cast<float>(sizes.width));
  data[scale] = &factor; // by value
  buffers[q]->zero();
  fill_random(*buffers[k], Type::bf16, 0.5F, timer.stream());
  fill(*buffers[v], Type::bf16, 0.5F, timer.stream());
  const Plan there{library.handle, true, sizes};
  there.run(data);
  expect(*buffers[o], 0.5F, "the mean of equal values");
  std::unique_ptr<Plan> back;
  if (!forward) {
    fill(*buffers[d_o], Type::bf16, 0.25F, timer.stream());
    back = std::make_unique<Plan>(library.handle, false, sizes);
    back->run(data);
    expect(*buffers[d_v], 0.25F, "the gradient of the values");
  }
  for (const Tensor tensor : {q, k, v, d_o})
    if (buffers.contains(tensor))
      fill_random(*buffers[tensor], Type::bf16, 0.5F, timer.stream());
  there.run(data); // output and statistics that belong to the inputs
  const Plan& plan = forward ? there : *back;
  return sample_on(timer, rule, [&](cudaStream_t) { plan.run(data); });
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
