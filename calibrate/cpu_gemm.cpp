// SPDX-License-Identifier: Apache-2.0
// CPU matrix product C += A B of fp32 matrices n x n, by a blocked kernel of our own, on one core and on all.
//
// What it measures: what plain compiled code reaches; a tuned BLAS may be up to twice as fast. Resolution: steady
// clock, about 50 ns. Size: flop of one product, 2 n^3.
#include "calibrate/measurement.hpp"
#include "calibrate/workers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace trainyard::calibrate {
namespace {

constexpr int rows = 4, columns = 32; // of C held in registers
constexpr int depth_block = 256;

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define TY_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TY_CLONES
#endif

/// Adds to rows [first, last) of C; n is a multiple of `columns`.
TY_CLONES void multiply(const float* a, const float* b, float* c, int n, int first, int last)
{
  const auto at = [n](int i, int j) {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + static_cast<std::size_t>(j);
  };
  for (int depth = 0; depth < n; depth += depth_block) {
    const int depth_end = std::min(n, depth + depth_block);
    for (int j = 0; j < n; j += columns)
      for (int i = first; i + rows <= last; i += rows) {
        float sum[rows][columns] = {};
        for (int k = depth; k < depth_end; ++k) {
          const float* row_of_b = b + at(k, j);
          for (int r = 0; r < rows; ++r) {
            const float factor = a[at(i + r, k)];
            for (int column = 0; column < columns; ++column)
              sum[r][column] += factor * row_of_b[column];
          }
        }
        for (int r = 0; r < rows; ++r)
          for (int column = 0; column < columns; ++column)
            c[at(i + r, j + column)] += sum[r][column];
      }
  }
}

class CpuGemm final : public Measurement
{
public:
  std::vector<Case> cases(const Options& options) const override
  {
    std::vector<Case> list;
    for (const char* curve : {"cpu_gemm.fp32.one_core", "cpu_gemm.fp32.all_cores"})
      for (const int n : options.quick ? std::vector{64, 256, 512} : std::vector{64, 128, 256, 512, 768, 1024})
        list.push_back({curve, 2.0 * n * n * n, "flop"});
    return list;
  }

  Samples measure(const Case& which, const Options& options) override
  {
    const int n = static_cast<int>(std::lround(std::cbrt(which.size / 2)));
    const auto elements = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    const std::vector<float> a(elements, 0.5F), b(elements, 0.25F);
    std::vector<float> c(elements, 0);
    SamplingRule rule = sampling_rule(options.quick);
    const int repeat = std::max(1, static_cast<int>(2e7 / which.size));
    if (which.curve.ends_with("one_core")) {
      rule.on_this_cpu = true;
      const Samples samples = sample(rule, [&] {
        const double begin = wall_seconds();
        for (int i = 0; i < repeat; ++i)
          multiply(a.data(), b.data(), c.data(), n, 0, n);
        return (wall_seconds() - begin) / repeat;
      });
      check(c, n);
      return samples;
    }
    Workers workers{Workers::all_cores()};
    rule.on_all_cpus = workers.count();
    const int share = std::max(rows, n / workers.count() / rows * rows);
    const Samples samples = sample(rule, [&] {
      const double begin = wall_seconds();
      for (int i = 0; i < repeat; ++i)
        workers.run([&](int worker) {
          const int first = std::min(n, worker * share);
          multiply(a.data(), b.data(), c.data(), n, first,
                   worker + 1 == workers.count() ? n : std::min(n, first + share));
        });
      return (wall_seconds() - begin) / repeat;
    });
    check(c, n);
    return samples;
  }

  void conclude(const MeasuredCurves& curves, const Options&, Profile& profile) const override
  {
    for (const auto& [curve, name] :
         {std::pair{"cpu_gemm.fp32.one_core", "cpu.core_rate.fp32"}, {"cpu_gemm.fp32.all_cores", "cpu.rate.fp32"}})
      if (const auto found = curves.find(curve); found != curves.end())
        add_constant(profile, name, "flop/s", rate_at_largest(found->second), found->second,
                     "own blocked matrix product, largest size");
  }

private:
  /// All elements are multiples of the same sum; validates that the work was done before its time is used.
  static void check(const std::vector<float>& c, int n)
  {
    const float corner = c.front();
    const float unit = 0.125F * static_cast<float>(n);
    if (corner < unit || std::ranges::any_of(c, [&](float value) { return value != corner; }))
      throw std::runtime_error{"the matrix product is wrong, so the timing cannot be trusted"};
  }
};

TY_REGISTER(Measurement, CpuGemm, "cpu_gemm", "matrix products on the CPU, one core and all");

} // namespace
} // namespace trainyard::calibrate
