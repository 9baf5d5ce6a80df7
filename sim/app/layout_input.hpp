// SPDX-License-Identifier: Apache-2.0
// What the commands that look for layouts of a large model share: layouts, compare --parallel, plan --gpus.
#pragma once
#include "models/hardware/catalogue.hpp"
#include "sim/app/command.hpp"
#include "sim/study/layout_plan.hpp"

#include <string>
#include <vector>

namespace trainyard::app {

/// Of one search; a layout of more is found nowhere.
constexpr int most_gpus_asked = 1'000'000;

/// --gpu, --global-batch, --sequence, --precision, --parallel.
std::vector<Option> layout_input_options();

/// What the figures of a search rest on: the closed form, and the machines that such a GPU is usually sold in.
std::string layout_basis(const Gpu& gpu);

/// The model on @p gpus GPUs of a type (a short name is enough), in the machines that they are sold in, with the
/// options' batch, sequence and precision. @p batch: 0: that of --global-batch, else the smallest multiple of the GPUs
/// from 256 on.
/// Throws InputError.
ParallelJob layout_job(const Arguments& arguments, const Catalogue& catalogue, const std::string& model,
                       const std::string& gpu, int gpus, int batch = 0);
/// The same as a scenario that runs, with a layout.
std::string layout_scenario(const Arguments& arguments, const Catalogue& catalogue, const std::string& model,
                            const ParallelJob& job, int gpus);

/// Why a combination of --parallel has no layout, every fault with its way out, and the nearest layouts that have none.
std::string why_no_layout(const ParallelJob& job, const LayoutLimits& limits, int gpus);
/// Values of --parallel: "tp=2,4,8 pp=1,2,4 ep=8".
LayoutLimits layout_limits(const std::string& text);
/// Each combination of the values that --parallel lists, as limits of one value each, with its name: "tp=2 pp=4 ep=8".
std::vector<std::pair<std::string, LayoutLimits>> layout_choices(const std::string& text);
/// Numbers of GPUs: "256", "256,512", "64..1024" (powers of two between them).
std::vector<int> gpu_counts(const std::string& text);
/// Types of --gpu: "H100-SXM5,A100-SXM4-80GB", or its default.
std::vector<std::string> gpu_types(const Arguments& arguments, const Catalogue& catalogue);

/// simrun compare --model M --gpus N --parallel LISTS.
int compare_layouts(const Arguments& arguments);
/// simrun plan --model M --gpus LIST --goal GOAL.
int plan_for_model(const Arguments& arguments);

} // namespace trainyard::app
