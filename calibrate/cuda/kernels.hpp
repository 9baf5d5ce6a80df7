// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

namespace trainyard::calibrate::gpu {

// Memory-bound kernels of our own. Arrays are float and 16-byte aligned; counts are multiples of 4.

/// y = a x + y; reads 2 n, writes n.
void launch_elementwise(float* y, const float* x, float a, std::size_t count, cudaStream_t stream);
/// y = max(x, 0); reads n, writes n.
void launch_activation(float* y, const float* x, std::size_t count, cudaStream_t stream);
/// Adds up all of x into *sum (set to 0 before); reads n.
void launch_reduction(float* sum, const float* x, std::size_t count, cudaStream_t stream);
/// Softmax of each row; reads n, writes n where a row stays in registers (width <= 4096).
void launch_softmax(float* y, const float* x, int rows, int width, cudaStream_t stream);
/// Layer normalisation of each row, without scale and shift; reads n, writes n as softmax.
void launch_layer_norm(float* y, const float* x, int rows, int width, cudaStream_t stream);
/// SGD with momentum: m = 0.9 m + g, w -= 0.01 m; reads 3 n, writes 2 n.
void launch_update(float* w, float* m, const float* g, std::size_t count, cudaStream_t stream);
/// Does nothing: the price of a launch.
void launch_nothing(cudaStream_t stream);
/// One thread that waits for @p cycles of its clock: a kernel of a known share of the time of another one.
void launch_wait(long long cycles, cudaStream_t stream);

} // namespace trainyard::calibrate::gpu
