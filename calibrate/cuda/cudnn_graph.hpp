// SPDX-License-Identifier: Apache-2.0
#pragma once
// cuDNN's graph interface: operations on described tensors become one plan, which the library's heuristics choose.
#include "calibrate/cuda/gpu.hpp"

#include <cudnn.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace trainyard::calibrate::gpu {

inline void check(cudnnStatus_t status, std::source_location where = std::source_location::current())
{
  if (status != CUDNN_STATUS_SUCCESS)
    fail(std::string{"cuDNN: "} + cudnnGetErrorString(status), where);
}

/// A descriptor that destroys itself.
class Descriptor
{
public:
  explicit Descriptor(cudnnBackendDescriptorType_t type) { check(cudnnBackendCreateDescriptor(type, &raw_)); }
  ~Descriptor()
  {
    if (raw_ != nullptr)
      cudnnBackendDestroyDescriptor(raw_);
  }
  Descriptor(Descriptor&& other) noexcept : raw_{std::exchange(other.raw_, nullptr)} {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  cudnnBackendDescriptor_t raw() const { return raw_; }
  template <class T>
  Descriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const T* values, int count = 1)
  {
    check(cudnnBackendSetAttribute(raw_, name, type, count, values));
    return *this;
  }
  template <class T>
  Descriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                  T value) requires(!std::is_pointer_v<T>)
  {
    return set(name, type, &value);
  }
  Descriptor& set(cudnnBackendAttributeName_t name, const Descriptor& other)
  {
    return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, &other.raw_);
  }
  void finish(std::source_location where = std::source_location::current())
  {
    check(cudnnBackendFinalize(raw_), where);
  }

private:
  cudnnBackendDescriptor_t raw_ = nullptr;
};

struct CudnnHandle {
  cudnnHandle_t handle = nullptr;
  explicit CudnnHandle(cudaStream_t stream)
  {
    check(cudnnCreate(&handle));
    check(cudnnSetStream(handle, stream));
  }
  ~CudnnHandle() { cudnnDestroy(handle); }
  CudnnHandle(const CudnnHandle&) = delete;
  CudnnHandle& operator=(const CudnnHandle&) = delete;
};

using TensorName = std::int64_t;
/// Where a tensor is: in device memory, only between two operations, or one number on the host.
enum class Place { memory, inside, host };

/// Tensors, the operations on them, and the plan that runs them all.
class OperationGraph
{
public:
  using Four = std::array<std::int64_t, 4>;

  void tensor(TensorName name, cudnnDataType_t type, const Four& sizes, const Four& strides, Place place)
  {
    Descriptor tensor{CUDNN_BACKEND_TENSOR_DESCRIPTOR};
    tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, name)
        .set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type)
        .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, std::int64_t{place == Place::host ? 4 : 16})
        .set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, sizes.data(), 4)
        .set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, strides.data(), 4);
    if (place == Place::host)
      tensor.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, true);
    else if (place == Place::inside)
      tensor.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, true);
    tensor.finish();
    tensors_.emplace(name, std::move(tensor));
    if (place != Place::inside)
      given_.push_back(name);
  }

  void operation(cudnnBackendDescriptorType_t type,
                 const std::vector<std::pair<cudnnBackendAttributeName_t, TensorName>>& ends,
                 cudnnBackendAttributeName_t how_name = {}, const Descriptor* how = nullptr)
  {
    Descriptor operation{type};
    if (how != nullptr)
      operation.set(how_name, *how);
    for (const auto& [name, tensor] : ends)
      operation.set(name, tensors_.at(tensor));
    operation.finish();
    operations_.push_back(std::move(operation));
  }

  void matmul(TensorName a, TensorName b, TensorName c)
  {
    Descriptor how{CUDNN_BACKEND_MATMUL_DESCRIPTOR};
    how.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT).finish();
    operation(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR,
              {{CUDNN_ATTR_OPERATION_MATMUL_ADESC, a},
               {CUDNN_ATTR_OPERATION_MATMUL_BDESC, b},
               {CUDNN_ATTR_OPERATION_MATMUL_CDESC, c}},
              CUDNN_ATTR_OPERATION_MATMUL_DESC, &how);
  }

  /// @p b: second operand; 0: none
  void pointwise(cudnnPointwiseMode_t mode, TensorName x, TensorName b, TensorName y)
  {
    Descriptor how{CUDNN_BACKEND_POINTWISE_DESCRIPTOR};
    how.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode)
        .set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT)
        .finish();
    std::vector<std::pair<cudnnBackendAttributeName_t, TensorName>> ends{{CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x},
                                                                         {CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y}};
    if (b != 0)
      ends.emplace_back(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b);
    operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, ends, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, &how);
  }

  void sum(TensorName x, TensorName y)
  {
    Descriptor how{CUDNN_BACKEND_REDUCTION_DESCRIPTOR};
    how.set(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, CUDNN_REDUCE_TENSOR_ADD)
        .set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT)
        .finish();
    operation(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR,
              {{CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x}, {CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y}},
              CUDNN_ATTR_OPERATION_REDUCTION_DESC, &how);
  }

  void reshape(TensorName x, TensorName y)
  {
    operation(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR,
              {{CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x}, {CUDNN_ATTR_OPERATION_RESHAPE_YDESC, y}});
  }

  /// Throws where no engine of the library can run it on this chip; @p what names it.
  void plan(cudnnHandle_t handle, const std::string& what)
  {
    handle_ = handle;
    std::vector<cudnnBackendDescriptor_t> raw;
    for (const Descriptor& operation : operations_)
      raw.push_back(operation.raw());
    Descriptor graph{CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR};
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, &handle_)
        .set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, raw.data(), static_cast<int>(raw.size()));
    graph.finish();
    Descriptor heuristics{CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR};
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
        .set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, CUDNN_HEUR_MODE_A);
    heuristics.finish();
    std::vector<Descriptor> choices;
    raw.clear();
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
      throw std::runtime_error{"cuDNN has no plan for " + what};
    std::int64_t bytes = 0;
    check(cudnnBackendGetAttribute(plan_->raw(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, nullptr,
                                   &bytes));
    workspace_ = std::make_unique<Buffer>(static_cast<std::size_t>(bytes));
  }

  /// @p data: where each tensor lies that is not inside; of one number, on the host.
  void run(const std::map<TensorName, void*>& data) const
  {
    std::vector<void*> pointers;
    for (const TensorName name : given_)
      pointers.push_back(data.at(name));
    void* workspace = workspace_->data();
    Descriptor pack{CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR};
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, given_.data(), static_cast<int>(given_.size()))
        .set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, pointers.data(),
             static_cast<int>(pointers.size()))
        .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, &workspace);
    pack.finish();
    check(cudnnBackendExecute(handle_, plan_->raw(), pack.raw()));
  }

private:
  static constexpr int most_choices = 8;

  cudnnHandle_t handle_ = nullptr;
  std::map<TensorName, Descriptor> tensors_;
  std::vector<TensorName> given_;
  std::vector<Descriptor> operations_;
  std::unique_ptr<Descriptor> plan_;
  std::unique_ptr<Buffer> workspace_;
};

} // namespace trainyard::calibrate::gpu
