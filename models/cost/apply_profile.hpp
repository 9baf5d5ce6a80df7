// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cost/profile.hpp"
#include "models/hardware/catalogue.hpp"

#include <map>
#include <string>
#include <vector>

namespace trainyard {

/// A constant of a calibration that replaced one of the catalogue.
struct AppliedConstant {
  enum class Of { transport, gpu };
  Of of = Of::transport;
  std::string owner; // "tcp", "A100-SXM4-40GB"
  std::string field; // "latency", "efficiency", "stream_limit", "endpoint_limit", "rate.fp16", "memory_bandwidth",
                     // "kernel_launch", "convolution_share.fp16"; of what was measured on a GPU, which stands for
                     // the whole curve: "measured.products.bf16", "measured.attention.flash", "measured.all_reduce"
  Bounded value;     // base units
  Provenance provenance = Provenance::measured;
};

/// The calibration that a scenario uses, and its effect.
struct CalibrationUse {
  std::string name;
  std::string created;
  Provenance provenance = Provenance::measured;
  std::vector<AppliedConstant> applied;
  bool explained = true;       // of what was fitted: the measured steps are where it has them
  std::vector<FittedRow> rows; // that it was fitted to
  std::vector<FittedRow> here; // those of this very scenario

  bool covers(AppliedConstant::Of of, const std::string& owner) const;
};

/// The constants of a profile that transports and GPUs of the catalogue have: "transport.<name>.<field>",
/// "gpu.<name>.<field>". Where there is a convolution rate and no matrix rate, it counts as that.
std::vector<AppliedConstant> applicable_constants(const Profile& profile, const Catalogue& catalogue);

/// Sets the constant to @p value. Rates and bandwidths of GPUs are what kernels reach, so the reachable shares become 1
/// in effect: peak x share = value.
void set_constant(const AppliedConstant& constant, double value, std::map<std::string, Transport>& transports,
                  std::map<std::string, Gpu>& gpus);

/// What was measured on a GPU beyond its data sheet, as fields of constants.
std::vector<std::string> measured_fields(const Gpu& gpu);

/// The current value; 0 if the owner is unknown.
double current_value(const AppliedConstant& constant, const std::map<std::string, Transport>& transports,
                     const std::map<std::string, Gpu>& gpus);

} // namespace trainyard
