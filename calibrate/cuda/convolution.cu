// SPDX-License-Identifier: Apache-2.0
// Convolutions of the catalogue's CNNs: forward, gradient of the input, gradient of the weights. Size: flop of the
// batch. Checked before timing: with constant input and weights an output far from the border is channels x kernel area
// x both constants.
#include "calibrate/cuda/convolution.hpp"
#include "calibrate/cuda/cudnn_graph.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace trainyard::calibrate::gpu {
namespace {

constexpr std::size_t most_workspace = 1U << 30U;

/// The fastest proposal that works and fits.
template <class Proposals>
auto choose(const Proposals& proposals, int count, const char* pass)
{
  for (int i = 0; i < count; ++i)
    if (proposals[static_cast<std::size_t>(i)].status == CUDNN_STATUS_SUCCESS &&
        proposals[static_cast<std::size_t>(i)].memory <= most_workspace)
      return proposals[static_cast<std::size_t>(i)];
  throw std::runtime_error{std::string{"cuDNN has no algorithm for this convolution, "} + pass};
}

} // namespace

namespace {

/// One handle for all convolutions of a device: it keeps a workspace of its own and takes long to make.
cudnnHandle_t shared_handle()
{
  static std::map<int, cudnnHandle_t> handles; // end with the process
  int device = 0;
  check(cudaGetDevice(&device));
  cudnnHandle_t& handle = handles[device];
  if (handle == nullptr)
    check(cudnnCreate(&handle));
  return handle;
}

} // namespace

struct Convolution::Parts {
  cudnnHandle_t handle = nullptr; // shared
  cudaStream_t stream = nullptr;
  cudnnTensorDescriptor_t x = nullptr, y = nullptr;
  cudnnFilterDescriptor_t w = nullptr;
  cudnnConvolutionDescriptor_t convolution = nullptr;
  cudnnConvolutionFwdAlgoPerf_t forward{};
  cudnnConvolutionBwdDataAlgoPerf_t backward_data{};
  cudnnConvolutionBwdFilterAlgoPerf_t backward_filter{};

  ~Parts()
  {
    cudnnDestroyConvolutionDescriptor(convolution);
    cudnnDestroyFilterDescriptor(w);
    cudnnDestroyTensorDescriptor(y);
    cudnnDestroyTensorDescriptor(x);
  }
};

Convolution::Convolution(const ConvolutionShape& s, int batch, Type type, cudaStream_t stream)
    : parts_{std::make_unique<Parts>()}
{
  Parts& p = *parts_;
  const bool half = type == Type::fp16 || type == Type::bf16;
  const cudnnDataType_t data = type == Type::fp16   ? CUDNN_DATA_HALF
                               : type == Type::bf16 ? CUDNN_DATA_BFLOAT16
                                                    : CUDNN_DATA_FLOAT;
  const cudnnTensorFormat_t format = half ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
  p.handle = shared_handle();
  p.stream = stream;
  check(cudnnSetStream(p.handle, stream));
  check(cudnnCreateTensorDescriptor(&p.x));
  check(cudnnCreateTensorDescriptor(&p.y));
  check(cudnnCreateFilterDescriptor(&p.w));
  check(cudnnCreateConvolutionDescriptor(&p.convolution));
  check(cudnnSetTensor4dDescriptor(p.x, format, data, batch, s.channels, s.height, s.width));
  check(cudnnSetTensor4dDescriptor(p.y, format, data, batch, s.filters, s.out_height(), s.out_width()));
  check(cudnnSetFilter4dDescriptor(p.w, data, format, s.filters, s.channels, s.kernel_height, s.kernel_width));
  check(cudnnSetConvolution2dDescriptor(p.convolution, s.pad_height, s.pad_width, s.stride, s.stride, 1, 1,
                                        CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
  check(cudnnSetConvolutionMathType(p.convolution, type == Type::fp32 ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH));
  int count = 0;
  std::array<cudnnConvolutionFwdAlgoPerf_t, CUDNN_CONVOLUTION_FWD_ALGO_COUNT> forward{};
  check(cudnnGetConvolutionForwardAlgorithm_v7(p.handle, p.x, p.w, p.convolution, p.y, static_cast<int>(forward.size()),
                                               &count, forward.data()));
  p.forward = choose(forward, count, "forward");
  std::array<cudnnConvolutionBwdDataAlgoPerf_t, CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT> backward_data{};
  check(cudnnGetConvolutionBackwardDataAlgorithm_v7(
      p.handle, p.w, p.y, p.convolution, p.x, static_cast<int>(backward_data.size()), &count, backward_data.data()));
  p.backward_data = choose(backward_data, count, "gradient of the input");
  std::array<cudnnConvolutionBwdFilterAlgoPerf_t, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT> backward_filter{};
  check(cudnnGetConvolutionBackwardFilterAlgorithm_v7(p.handle, p.x, p.y, p.convolution, p.w,
                                                      static_cast<int>(backward_filter.size()), &count,
                                                      backward_filter.data()));
  p.backward_filter = choose(backward_filter, count, "gradient of the weights");
}

Convolution::~Convolution() = default;

std::size_t Convolution::workspace_bytes() const
{
  return std::max(
      {parts_->forward.memory, parts_->backward_data.memory, parts_->backward_filter.memory, std::size_t{16}});
}

void Convolution::run(Pass pass, void* x, void* w, void* y, void* workspace)
{
  const Parts& p = *parts_;
  const float one = 1, zero = 0;
  check(cudnnSetStream(p.handle, p.stream));
  // The heuristics answer with the arithmetic that goes with the algorithm.
  check(cudnnSetConvolutionMathType(p.convolution, pass == Pass::forward         ? p.forward.mathType
                                                   : pass == Pass::backward_data ? p.backward_data.mathType
                                                                                 : p.backward_filter.mathType));
  if (pass == Pass::forward)
    check(cudnnConvolutionForward(p.handle, &one, p.x, x, p.w, w, p.convolution, p.forward.algo, workspace,
                                  p.forward.memory, &zero, p.y, y));
  else if (pass == Pass::backward_data)
    check(cudnnConvolutionBackwardData(p.handle, &one, p.w, w, p.y, y, p.convolution, p.backward_data.algo, workspace,
                                       p.backward_data.memory, &zero, p.x, x));
  else
    check(cudnnConvolutionBackwardFilter(p.handle, &one, p.x, x, p.y, y, p.convolution, p.backward_filter.algo,
                                         workspace, p.backward_filter.memory, &zero, p.w, w));
}

namespace {

constexpr int batch_size = 32;

constexpr std::pair<Pass, const char*> passes[] = {
    {Pass::forward, "forward"}, {Pass::backward_data, "backward_data"}, {Pass::backward_filter, "backward_filter"}};

class Convolutions final : public GpuMeasurement
{
public:
  std::vector<GpuCase> cases(int device, bool quick) const override
  {
    const std::vector<Type> offered = types_of(device);
    std::vector<GpuCase> list;
    const std::vector<ConvolutionShape> shapes = catalogue_convolutions();
    for (const Type type : {Type::fp16, Type::tf32, Type::fp32}) {
      if (std::ranges::find(offered, type) == offered.end())
        continue;
      for (const auto& [pass, name] : passes)
        for (std::size_t i = 0; i < shapes.size(); i += quick ? 16 : 1)
          list.push_back({std::string{"gpu_conv."} + name_of(type) + "." + name + "." + shapes[i].name(),
                          batch_size * shapes[i].flop(), "flop"});
    }
    return list;
  }

  Samples measure(const std::string& curve, double, int, const SamplingRule& rule) override
  {
    const auto part = [&, begin = std::size_t{0}]() mutable {
      const std::size_t end = std::min(curve.find('.', begin), curve.size());
      const std::string word = curve.substr(begin, end - begin);
      begin = end + 1;
      return word;
    };
    auto next = part;
    next();
    const std::string type_name = next(), pass_name = next();
    const ConvolutionShape shape = convolution_of(next());
    const Type type = type_name == "fp16" ? Type::fp16 : type_name == "tf32" ? Type::tf32 : Type::fp32;
    Pass pass = Pass::forward;
    for (const auto& [value, name] : passes)
      if (pass_name == name)
        pass = value;
    const Timer timer;
    Convolution convolution{shape, batch_size, type, timer.stream()};
    const std::size_t bytes = bytes_of(type);
    const Buffer x{static_cast<std::size_t>(shape.input_elements()) * batch_size * bytes};
    const Buffer w{static_cast<std::size_t>(shape.weights()) * bytes};
    const Buffer y{static_cast<std::size_t>(shape.output_elements()) * batch_size * bytes};
    const Buffer workspace{convolution.workspace_bytes()};
    fill(x, type, 0.5F, timer.stream());
    fill(w, type, 1.0F / 64, timer.stream());
    convolution.run(Pass::forward, x.data(), w.data(), y.data(), workspace.data());
    check(cudaStreamSynchronize(timer.stream()));
    verify(shape, type, y);
    fill_random(x, type, 0.5F, timer.stream());
    fill_random(w, type, 1.0F / 64, timer.stream());
    fill_random(y, type, 1.0F / 1024, timer.stream());
    return sample_on(timer, rule,
                     [&](cudaStream_t) { convolution.run(pass, x.data(), w.data(), y.data(), workspace.data()); });
  }

private:
  static void verify(const ConvolutionShape& s, Type type, const Buffer& y)
  {
    const bool channels_last = type == Type::fp16 || type == Type::bf16;
    const auto row = static_cast<std::size_t>(s.out_height() / 2), column = static_cast<std::size_t>(s.out_width() / 2);
    const std::size_t pixel = row * static_cast<std::size_t>(s.out_width()) + column;
    const float got = element(y, type, channels_last ? pixel * static_cast<std::size_t>(s.filters) : pixel);
    const float expected = static_cast<float>(s.channels * s.kernel_height * s.kernel_width) / 128;
    if (std::abs(got / expected - 1) > 0.02F)
      throw std::runtime_error{"the convolution is wrong: " + std::to_string(got) + " instead of " +
                               std::to_string(expected)};
  }
};

TY_REGISTER(GpuMeasurement, Convolutions, "gpu_conv",
            "convolutions of AlexNet, VGG-16, ResNet-50, Inception v3, batch 32");

} // namespace
} // namespace trainyard::calibrate::gpu
