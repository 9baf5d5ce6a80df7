// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trainyard::gui {

// Of the timeline, px.
constexpr int lane_height = 18;
constexpr int lane_gap = 3;
constexpr int lane_pitch = lane_height + lane_gap;
constexpr int overview_height = 30;
constexpr int time_axis_height = 24;
constexpr int counter_height = 32;

} // namespace trainyard::gui
