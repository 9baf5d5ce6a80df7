// SPDX-License-Identifier: Apache-2.0
// Memory of the CPU: copy, sum of gradients (y += x, what a parameter server does with every gradient) and the update
// of SGD with momentum (reads w, g, m and writes w, m), on all cores; the sum also on one core, because a server often
// adds in one thread.
//
// Size: payload bytes, as a parameter server counts them: the bytes of one array. Arrays are larger than caches;
// touched before timing.
#include "calibrate/measurement.hpp"
#include "calibrate/workers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>

namespace trainyard::calibrate {
namespace {

enum class Kernel { copy, sum, update };

void apply(Kernel kernel, float* y, const float* x, float* m, std::size_t begin, std::size_t end)
{
  switch (kernel) {
  case Kernel::copy:
    std::memcpy(y + begin, x + begin, (end - begin) * sizeof(float));
    break;
  case Kernel::sum:
    for (std::size_t i = begin; i < end; ++i)
      y[i] += x[i];
    break;
  case Kernel::update:
    for (std::size_t i = begin; i < end; ++i) {
      m[i] = 0.9F * m[i] + x[i];
      y[i] -= 0.01F * m[i];
    }
    break;
  }
}

class CpuMemory final : public Measurement
{
public:
  std::vector<Case> cases(const Options& options) const override
  {
    std::vector<Case> list;
    for (const char* curve : {"cpu_memory.copy", "cpu_memory.sum", "cpu_memory.sum.one_core", "cpu_memory.update"})
      for (const double size : options.quick ? std::vector{16777216.0} : std::vector{1048576.0, 16777216.0, 67108864.0})
        list.push_back({curve, size, "B"});
    return list;
  }

  Samples measure(const Case& which, const Options& options) override
  {
    const auto elements = static_cast<std::size_t>(which.size) / sizeof(float);
    std::vector<float> y(elements, 1), x(elements, 1), m(elements, 0);
    const Kernel kernel = which.curve.starts_with("cpu_memory.copy")  ? Kernel::copy
                          : which.curve.starts_with("cpu_memory.sum") ? Kernel::sum
                                                                      : Kernel::update;
    SamplingRule rule = sampling_rule(options.quick);
    Samples samples;
    if (which.curve.ends_with("one_core")) {
      rule.on_this_cpu = true;
      samples = sample(rule, [&] {
        const double begin = wall_seconds();
        apply(kernel, y.data(), x.data(), m.data(), 0, elements);
        return wall_seconds() - begin;
      });
    } else {
      Workers workers{Workers::all_cores()};
      rule.on_all_cpus = workers.count();
      const std::size_t share = elements / static_cast<std::size_t>(workers.count());
      samples = sample(rule, [&] {
        const double begin = wall_seconds();
        workers.run([&](int worker) {
          const std::size_t first = share * static_cast<std::size_t>(worker);
          apply(kernel, y.data(), x.data(), m.data(), first, worker + 1 == workers.count() ? elements : first + share);
        });
        return wall_seconds() - begin;
      });
    }
    if (std::ranges::any_of(y, [&](float value) { return value != y.front(); }))
      throw std::runtime_error{"the arrays differ after '" + which.curve + "', so the timing cannot be trusted"};
    return samples;
  }

  void conclude(const MeasuredCurves& curves, const Options&, Profile& profile) const override
  {
    for (const auto& [curve, name, passes, note] :
         {std::tuple{"cpu_memory.copy", "cpu.memory_bandwidth", 2.0, "copy on all cores, read and written bytes"},
          {"cpu_memory.sum", "cpu.aggregate_bandwidth", 1.0, "gradients added to a sum, all cores, gradient bytes"},
          {"cpu_memory.sum.one_core", "cpu.core_aggregate_bandwidth", 1.0,
           "gradients added to a sum, one core, gradient bytes"},
          {"cpu_memory.update", "cpu.update_bandwidth", 1.0, "SGD with momentum, all cores, parameter bytes"}})
      if (const auto found = curves.find(curve); found != curves.end())
        add_constant(profile, name, "B/s", scaled(rate_at_largest(found->second), passes), found->second, note);
  }
};

TY_REGISTER(Measurement, CpuMemory, "cpu_memory", "copy, sum of gradients and optimiser update in the CPU's memory");

} // namespace
} // namespace trainyard::calibrate
