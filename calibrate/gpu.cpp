// SPDX-License-Identifier: Apache-2.0
// GPU measurements, all of which live in libsimcal_cuda (see cuda/gpu_interface.h): found beside this program, loaded
// at run time, so that simcal starts on a machine without CUDA. Each measurement of the library appears here under its
// own name.
#include "calibrate/gpu_interface.h"
#include "calibrate/measurement.hpp"
#include "models/core/program.hpp"
#include "models/core/statistics.hpp"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <sstream>
#include <stdexcept>

namespace trainyard::calibrate {
std::string catalogue_name(std::string name)
{
  for (const char* prefix : {"NVIDIA ", "Tesla ", "GeForce "})
    if (name.starts_with(prefix))
      name.erase(0, std::string{prefix}.size());
  constexpr std::array<std::pair<const char*, const char*>, 14> known{{{"H100 80GB HBM3", "H100-SXM5"},
                                                                       {"H100 PCIe", "H100-PCIe"},
                                                                       {"H200", "H200-SXM"},
                                                                       {"B200", "B200-SXM"},
                                                                       {"A100 80GB PCIe", "A100-PCIe-80GB"},
                                                                       {"A100-PCIE-40GB", "A100-PCIe-40GB"},
                                                                       {"A100-PCIE-80GB", "A100-PCIe-80GB"},
                                                                       {"V100-SXM2-16GB", "V100-SXM2-16GB"},
                                                                       {"V100-SXM2-32GB", "V100-SXM2-32GB"},
                                                                       {"V100-PCIE-16GB", "V100-PCIe-16GB"},
                                                                       {"V100-PCIE-32GB", "V100-PCIe-32GB"},
                                                                       {"P100-SXM2-16GB", "P100-SXM2"},
                                                                       {"P100-PCIE-16GB", "P100-PCIe"},
                                                                       {"M40 24GB", "M40-24GB"}}};
  for (const auto& [driver, ours] : known)
    if (name == driver)
      return ours;
  std::ranges::replace(name, ' ', '-');
  return name;
}

namespace {

/// The library's functions, or one line why there are none.
class Library
{
public:
  static const Library& instance()
  {
    static const Library library;
    return library;
  }

  std::string missing;
  int devices_found = 0;
  decltype(&ty_gpu_describe) describe = nullptr;
  decltype(&ty_gpu_missing) missing_part = nullptr;
  decltype(&ty_gpu_cases) cases = nullptr;
  decltype(&ty_gpu_measure) measure = nullptr;
  decltype(&ty_gpu_rendezvous) join = nullptr;

private:
  Library()
  {
    const std::filesystem::path file = helper_file(SIMCAL_CUDA_LIBRARY);
    if (file.empty()) {
#ifdef SIMCAL_WITHOUT_CUDA
      missing = "built without CUDA";
#else
      missing = std::string{SIMCAL_CUDA_LIBRARY} + " is not installed with simcal";
#endif
      return;
    }
    void* const handle = dlopen(file.c_str(), RTLD_NOW);
    if (handle == nullptr) {
      missing =
          std::string{"library not found: "} + dlerror() + " (the folder of CUDA may have to be in LD_LIBRARY_PATH)";
      return;
    }
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
      if (function == nullptr)
        missing = std::string{SIMCAL_CUDA_LIBRARY} + " has no " + name + ": it belongs to another version of simcal";
    };
    decltype(&ty_gpu_version) version = nullptr;
    decltype(&ty_gpu_devices) devices = nullptr;
    find(version, "ty_gpu_version");
    find(devices, "ty_gpu_devices");
    find(describe, "ty_gpu_describe");
    find(missing_part, "ty_gpu_missing");
    find(cases, "ty_gpu_cases");
    find(measure, "ty_gpu_measure");
    find(join, "ty_gpu_rendezvous");
    if (!missing.empty())
      return;
    if (version() != ty_gpu_interface_version) {
      missing = std::string{SIMCAL_CUDA_LIBRARY} + " belongs to another version of simcal";
      return;
    }
    std::array<char, 512> words{};
    devices_found = devices(words.data(), static_cast<int>(words.size()));
    if (devices_found < 0)
      missing = words.data();
  }
};

constexpr int device = 0; // the first one that CUDA_VISIBLE_DEVICES leaves

std::map<std::string, std::string> description()
{
  std::map<std::string, std::string> facts;
  std::array<char, 2048> text{};
  Library::instance().describe(device, text.data(), static_cast<int>(text.size()));
  std::istringstream in{text.data()};
  for (std::string line; std::getline(in, line);)
    if (const std::size_t equals = line.find('='); equals != std::string::npos)
      facts[line.substr(0, equals)] = line.substr(equals + 1);
  return facts;
}

class GpuPart : public Measurement
{
public:
  explicit GpuPart(std::string name) : name_{std::move(name)} {}

  std::string missing(const Options& options) const override
  {
    const Library& library = Library::instance();
    if (!library.missing.empty())
      return library.missing;
    std::array<char, 768> why{};
    if (options.ranks > 0 && name_ == "gpu_collectives") {
      library.join(options.rank, options.ranks, options.rendezvous.c_str(), options.most_seconds, why.data(),
                   static_cast<int>(why.size()));
      if (why[0] != '\0')
        return why.data();
    }
    library.missing_part(name_.c_str(), device, why.data(), static_cast<int>(why.size()));
    return why.data();
  }

  std::vector<Case> cases(const Options& options) const override
  {
    std::vector<char> text(1U << 20U);
    Library::instance().cases(name_.c_str(), device, options.quick ? 1 : 0, text.data(), static_cast<int>(text.size()));
    std::vector<Case> list;
    std::istringstream in{text.data()};
    for (Case one; in >> one.curve >> one.size >> one.unit;)
      if (name_ != "gpu_products")
        list.push_back(one);
      else // the library says the number formats
        for (const ProductShape& shape : options.products)
          list.push_back({one.curve + "." + to_text(shape), shape.flop(), one.unit});
    return list;
  }

  Samples measure(const Case& which, const Options& options) override
  {
    const TyGpuRule rule{options.quick ? 0.01 : 0.03, options.quick ? 0.05 : 0.3, 5, 25, 0.02};
    TyGpuAnswer answer{};
    Library::instance().measure(name_.c_str(), which.curve.c_str(), which.size, device, &rule, &answer);
    if (answer.error[0] != '\0')
      throw std::runtime_error{answer.error};
    Samples samples;
    samples.seconds.assign(answer.seconds, answer.seconds + answer.count);
    samples.state = answer.state;
    return samples;
  }

  std::vector<std::pair<std::string, std::string>> machine() const override
  {
    std::vector<std::pair<std::string, std::string>> facts;
    for (const auto& [key, value] : description())
      if (!value.empty() && key != "memory_roof")
        facts.emplace_back("gpu 0 " + key, value);
    return facts;
  }

  void conclude(const MeasuredCurves& curves, const Options&, Profile& profile) const override
  {
    if (Library::instance().missing.empty())
      conclude_gpu(curves, "gpu." + catalogue_name(description()["name"]) + ".", description(), profile);
  }

private:
  void conclude_gpu(const MeasuredCurves& curves, const std::string& prefix, std::map<std::string, std::string> facts,
                    Profile& profile) const
  {
    std::array<double, 5> convolution_flop{};
    std::array<std::vector<double>, 5> convolution_seconds; // by round
    std::array<int, 5> convolution_samples{};
    const char* const types[] = {"fp32", "tf32", "fp16", "bf16", "fp8"};
    for (const auto& [curve, measured] : curves) {
      if (!curve.starts_with(name_ + "."))
        continue;
      const std::string rest = curve.substr(name_.size() + 1);
      if (name_ == "gpu_gemm")
        add_constant(profile, prefix + "rate." + rest, "flop/s", rate_at_largest(measured), measured,
                     "largest matrix product");
      else if (name_ == "gpu_memory" && rest == "elementwise")
        add_constant(profile, prefix + "memory_bandwidth", "B/s", rate_at_largest(measured), measured,
                     "y = a x + y, read and written bytes");
      else if (name_ == "gpu_launch" && rest == "in_stream")
        add_constant(profile, prefix + "kernel_launch", "s", inverse(rate_at_largest(measured)), measured,
                     "empty kernels one after the other");
      else if (name_ == "gpu_copy") {
        const PiecewiseFit fit = fit_of(curves, curve);
        add_constant(profile, prefix + "copy." + rest + ".bandwidth", "B/s", fit.rate, measured, "large copies");
        add_constant(profile, prefix + "copy." + rest + ".latency", "s", fit.start_up, measured, "small copies");
      } else if (name_ == "gpu_collectives") {
        const PiecewiseFit fit = fit_of(curves, curve);
        add_constant(profile, "collective." + rest + ".algorithm_bandwidth", "B/s", fit.rate, measured,
                     "largest sizes");
        add_constant(profile, "collective." + rest + ".start_up", "s", fit.start_up, measured, "smallest sizes");
      } else if (name_ == "gpu_step")
        add_constant(profile, prefix + "step." + rest, "s", bounded_median(measured.sampled().front().seconds),
                     measured, "batch 32: forward, backward, update");
      else if (name_ == "gpu_conv")
        for (std::size_t type = 0; type < std::size(types); ++type)
          if (rest.starts_with(std::string{types[type]} + "."))
            for (const SampledPoint& point : measured.sampled()) {
              convolution_flop[type] += point.size;
              convolution_samples[type] += static_cast<int>(pooled(point.seconds).size());
              std::vector<double>& rounds = convolution_seconds[type];
              // A round without this convolution uses the time of the other rounds.
              rounds.resize(std::max(rounds.size(), point.seconds.size()), rounds.empty() ? 0 : rounds.front());
              for (std::size_t round = 0; round < rounds.size(); ++round)
                rounds[round] +=
                    quantile(round < point.seconds.size() ? point.seconds[round] : pooled(point.seconds), 0.5);
            }
    }
    for (std::size_t type = 0; type < std::size(types); ++type)
      if (convolution_flop[type] > 0) {
        std::vector<std::vector<double>> rounds;
        for (const double seconds : convolution_seconds[type])
          rounds.push_back({seconds});
        CalibratedConstant constant;
        constant.name = prefix + "convolution_rate." + types[type];
        constant.unit = "flop/s";
        constant.value = scaled(inverse(bounded_median(rounds)), convolution_flop[type]);
        constant.samples = convolution_samples[type];
        constant.note = "flop of all measured convolutions, all passes, over their time";
        profile.constants.push_back(constant);
      }
    if (name_ == "gpu_memory")
      for (CalibratedCurve& curve : profile.curves)
        if (curve.name.starts_with("gpu_memory.")) {
          curve.roof = std::atof(facts["memory_roof"].c_str());
          curve.roof_source = "memory clock x bus width";
          if (!(*curve.roof > 0))
            curve.roof.reset();
        }
  }

  std::string name_;
};

#define TY_GPU_PART(Class, name, description)                                                                          \
  class Class final : public GpuPart                                                                                   \
  {                                                                                                                    \
  public:                                                                                                              \
    Class() : GpuPart{name} {}                                                                                         \
  };                                                                                                                   \
  TY_REGISTER(Measurement, Class, name, description)

TY_GPU_PART(GpuGemm, "gpu_gemm", "matrix products on the GPU: fp32, tf32, fp16, bf16, fp8 (cuBLAS, cuBLASLt)");
TY_GPU_PART(GpuProducts, "gpu_products", "the matrix products of a transformer layer (--layer, --shapes)");
TY_GPU_PART(GpuAttention, "gpu_attention", "fused attention, forward and backward, heads of 64 and 128 (cuDNN)");
TY_GPU_PART(GpuAllReduce, "gpu_all_reduce", "all-reduce of 4 KiB to 1 GiB over 2, 4, … GPUs of the machine (NCCL)");
TY_GPU_PART(GpuConvolutions, "gpu_conv", "convolutions of AlexNet, VGG-16, ResNet-50 and Inception v3 (cuDNN)");
TY_GPU_PART(GpuMemory, "gpu_memory", "memory-bound kernels on the GPU");
TY_GPU_PART(GpuLaunch, "gpu_launch", "launch of a kernel");
TY_GPU_PART(GpuCopy, "gpu_copy", "copies: pinned, pageable, device to device, peer");
TY_GPU_PART(GpuStep, "gpu_step", "a whole step of VGG-16 and ResNet-50, and the sum of its layers");
TY_GPU_PART(GpuCollectives, "gpu_collectives",
            "NCCL collectives over all GPUs of the machine, or of several with --rank");

} // namespace
} // namespace trainyard::calibrate
