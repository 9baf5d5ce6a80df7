// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/results/column.hpp"
#include "sim/results/results.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// "lr=0.1, train": the job of a row, with its point.
std::string named(const JobRow& row);

/// That a job does not end, and why, in words; empty where it does.
std::string unfinished(const JobRow& row);

/// The columns of jobs.csv and of `jobs` in summary.json, for runs of training jobs.
const std::vector<ResultColumn<JobRow>>& job_columns();

} // namespace trainyard
