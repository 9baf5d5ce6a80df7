// SPDX-License-Identifier: Apache-2.0
// A whole forward and backward pass with update of VGG-16 and ResNet-50, assembled from the library's and our own
// kernels, and the same kernels one by one: the sum of the layers must be the step. Size: images. Loss and dropout are
// left out (below 0.1 % of the time).
#include "calibrate/cuda/convolution.hpp"
#include "calibrate/cuda/kernels.hpp"
#include "calibrate/cuda/libraries.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace trainyard::calibrate::gpu {
namespace {

using Kind = NetworkLayer::Kind;
using Operation = std::function<void(cudaStream_t)>;

/// Buffers, handles and operations of one network, type and batch.
class Step
{
public:
  Step(const std::string& network, Type type, int batch) : type_{type}, batch_{batch}, layers_{network_layers(network)}
  {
    check(cublasSetStream(blas_.handle, timer_.stream()));
    double activations = 1024, weights = 0;
    for (const NetworkLayer& layer : layers_) {
      activations = std::max(
          {activations, layer.elements, layer.convolution.input_elements(), static_cast<double>(layer.inputs)});
      weights += layer.convolution.weights() + static_cast<double>(layer.inputs) * layer.outputs;
    }
    const auto most = static_cast<std::size_t>(activations) * static_cast<std::size_t>(batch);
    for (auto* buffer : {&a_, &b_, &c_}) {
      *buffer = std::make_unique<Buffer>(most * sizeof(float) + 64);
      fill_random(**buffer, type, 0.5F, timer_.stream());
    }
    const auto parameters = (static_cast<std::size_t>(weights) + 3) / 4 * 4;
    // Every tensor begins at a multiple of 256 bytes.
    const std::size_t room = parameters * sizeof(float) + 256 * (layers_.size() + 1);
    for (auto* buffer : {&w_, &gradient_, &momentum_, &master_}) {
      *buffer = std::make_unique<Buffer>(room);
      fill_random(**buffer, type, 1.0F / 64, timer_.stream());
    }
    momentum_->zero();
    master_->zero();
    std::vector<Operation> backward;
    std::size_t workspace = 16, offset = 0;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const NetworkLayer& layer = layers_[i];
      if (layer.kind == Kind::convolution) {
        convolutions_.push_back(std::make_unique<Convolution>(layer.convolution, batch, type, timer_.stream()));
        workspace = std::max(workspace, convolutions_.back()->workspace_bytes());
        add_convolution(*convolutions_.back(), offset, i == 0, backward);
        offset += static_cast<std::size_t>(layer.convolution.weights()) * bytes_of(type);
      } else if (layer.kind == Kind::linear) {
        add_linear(layer, offset, backward);
        offset += static_cast<std::size_t>(layer.inputs) * static_cast<std::size_t>(layer.outputs) * bytes_of(type);
      } else {
        add_memory(layer, backward);
      }
      offset = (offset + 255) / 256 * 256;
    }
    workspace_ = std::make_unique<Buffer>(workspace);
    operations_.insert(operations_.end(), backward.rbegin(), backward.rend());
    operations_.push_back([this, parameters](cudaStream_t stream) {
      launch_update(master_->as<float>(), momentum_->as<float>(), gradient_->as<float>(), parameters, stream);
    });
  }

  /// All operations recorded as one, so that the chip does not wait for the host.
  double whole()
  {
    if (!recorded_)
      record({[this](cudaStream_t stream) { run(stream); }}, 1);
    return launched(*recorded_->front());
  }

  /// Every operation alone, several times; the sum of the medians.
  double layer_by_layer()
  {
    if (!recorded_)
      record(operations_, 4);
    double sum = 0;
    for (const auto& operation : *recorded_) {
      std::vector<double> times;
      for (int i = 0; i < 5; ++i)
        times.push_back(launched(*operation) / 4);
      std::ranges::nth_element(times, times.begin() + 2);
      sum += times[2];
    }
    return sum;
  }

private:
  void record(const std::vector<Operation>& operations, int times)
  {
    run(timer_.stream()); // loads kernels
    check(cudaStreamSynchronize(timer_.stream()));
    recorded_.emplace();
    for (const Operation& operation : operations)
      recorded_->push_back(std::make_unique<Recorded>(timer_.stream(), operation, times));
  }

  double launched(const Recorded& recorded) const
  {
    return timer_.seconds([&](cudaStream_t stream) { recorded.launch(stream); });
  }

  void run(cudaStream_t stream)
  {
    for (const Operation& operation : operations_)
      operation(stream);
  }

  void* weights_at(const Buffer& buffer, std::size_t offset) const { return buffer.as<char>() + offset; }

  void add_convolution(Convolution& convolution, std::size_t offset, bool first, std::vector<Operation>& backward)
  {
    operations_.push_back([this, &convolution, offset](cudaStream_t) {
      convolution.run(Pass::forward, a_->data(), weights_at(*w_, offset), b_->data(), workspace_->data());
    });
    if (!first) // the gradient of the images is not needed
      backward.push_back([this, &convolution, offset](cudaStream_t) {
        convolution.run(Pass::backward_data, c_->data(), weights_at(*w_, offset), b_->data(), workspace_->data());
      });
    backward.push_back([this, &convolution, offset](cudaStream_t) {
      convolution.run(Pass::backward_filter, a_->data(), weights_at(*gradient_, offset), b_->data(),
                      workspace_->data());
    });
  }

  void gemm(int m, int n, int k, bool transpose_a, bool transpose_b, void* a, void* b, void* c)
  {
    const float one = 1, zero = 0;
    const cudaDataType_t data = type_ == Type::fp16 ? CUDA_R_16F : CUDA_R_32F;
    const cublasComputeType_t compute =
        type_ == Type::fp32 ? CUBLAS_COMPUTE_32F_PEDANTIC : CUBLAS_COMPUTE_32F_FAST_TF32;
    check(cublasGemmEx(blas_.handle, transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N, transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N,
                       m, n, k, &one, a, data, transpose_a ? k : m, b, data, transpose_b ? n : k, &zero, c, data, m,
                       type_ == Type::fp16 ? CUBLAS_COMPUTE_32F : compute, CUBLAS_GEMM_DEFAULT));
  }

  void add_linear(const NetworkLayer& layer, std::size_t offset, std::vector<Operation>& backward)
  {
    const int in = layer.inputs, out = layer.outputs;
    operations_.push_back([=, this](cudaStream_t) {
      gemm(out, batch_, in, true, false, weights_at(*w_, offset), a_->data(), b_->data());
    });
    backward.push_back([=, this](cudaStream_t) {
      gemm(in, batch_, out, false, false, weights_at(*w_, offset), b_->data(), c_->data());
    });
    backward.push_back([=, this](cudaStream_t) {
      gemm(in, out, batch_, false, true, a_->data(), b_->data(), weights_at(*gradient_, offset));
    });
  }

  /// Memory-bound layers by their traffic: in 16 bits half the floats move.
  void add_memory(const NetworkLayer& layer, std::vector<Operation>& backward)
  {
    const double share = static_cast<double>(bytes_of(type_)) / sizeof(float);
    const auto count = static_cast<std::size_t>(layer.elements * batch_ * share) / 4 * 4;
    const Operation two = [this, count](cudaStream_t stream) {
      launch_activation(b_->as<float>(), a_->as<float>(), count, stream);
    };
    const Operation three = [this, count](cudaStream_t stream) {
      launch_elementwise(b_->as<float>(), a_->as<float>(), 0.0F, count, stream);
    };
    const Operation one = [this, count](cudaStream_t stream) {
      launch_reduction(c_->as<float>(), a_->as<float>(), count, stream);
    };
    if (layer.kind == Kind::batch_norm) { // statistics, then normalise; backward: two sums, then the gradient
      operations_.insert(operations_.end(), {one, two});
      backward.push_back(three);
      backward.push_back(two);
    } else if (layer.kind == Kind::add) {
      operations_.push_back(three); // backward: both branches read the same gradient
    } else if (layer.kind == Kind::pool) {
      operations_.push_back(one);
      backward.push_back(two);
    } else {
      operations_.push_back(two);
      backward.push_back(three);
    }
  }

  Type type_;
  int batch_;
  std::vector<NetworkLayer> layers_;
  Timer timer_;
  Cublas blas_;
  // a_: inputs, which nothing overwrites, so that values stay finite; b_: outputs and their gradients; c_: gradients of
  // inputs. The update works on a copy of the weights in 32 bits, as mixed precision does.
  std::unique_ptr<Buffer> a_, b_, c_, w_, gradient_, momentum_, master_, workspace_;
  std::vector<std::unique_ptr<Convolution>> convolutions_;
  std::vector<Operation> operations_;
  std::optional<std::vector<std::unique_ptr<Recorded>>> recorded_;
};

class Steps final : public GpuMeasurement
{
public:
  std::vector<GpuCase> cases(int device, bool quick) const override
  {
    std::vector<GpuCase> list;
    const std::vector<Type> offered = types_of(device);
    for (const char* network : {"vgg16", "resnet50"})
      for (const Type type : quick ? std::vector{Type::fp16} : std::vector{Type::fp32, Type::tf32, Type::fp16})
        if (std::ranges::find(offered, type) != offered.end())
          for (const char* what : {"whole", "layers"})
            list.push_back({std::string{"gpu_step."} + network + "." + name_of(type) + "." + what, 32, "images"});
    return list;
  }

  Samples measure(const std::string& curve, double size, int, const SamplingRule& rule) override
  {
    const std::string network = curve.find("vgg16") != std::string::npos ? "vgg16" : "resnet50";
    const Type type = curve.find("fp16") != std::string::npos   ? Type::fp16
                      : curve.find("tf32") != std::string::npos ? Type::tf32
                                                                : Type::fp32;
    Step step{network, type, static_cast<int>(size)};
    SamplingRule longer = rule;
    longer.most_seconds *= 4;
    if (curve.ends_with(".whole"))
      return sample(longer, [&] { return step.whole(); });
    longer.least = 3;
    return sample(longer, [&] { return step.layer_by_layer(); });
  }
};

TY_REGISTER(GpuMeasurement, Steps, "gpu_step",
            "forward, backward and update of VGG-16 and ResNet-50, as a whole and layer by layer");

} // namespace
} // namespace trainyard::calibrate::gpu
