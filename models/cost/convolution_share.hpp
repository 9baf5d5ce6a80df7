// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cost/apply_profile.hpp"

#include <vector>

namespace trainyard {

/// Shares of the modelled speed that the convolutions of a profile reach, one for each GPU and number format, as
/// constants "gpu.<name>.convolution_share.<format>": with it the roofline of all measured convolutions (curves
/// gpu_conv.<format>.<pass>.<shape> of simcal, batch 32, all three passes) takes as long as they took. A profile
/// without these curves has convolution_rate / rate; bf16 has the share of fp16. Its interval is that of the
/// convolution rate; that of the matrix rate comes on top, so intervals of networks with convolutions are somewhat too
/// wide.
///
/// @p applied: constants of the profile that count besides (applicable_constants).
std::vector<AppliedConstant> convolution_shares(const Profile& profile, const Catalogue& catalogue,
                                                const std::vector<AppliedConstant>& applied);

} // namespace trainyard
