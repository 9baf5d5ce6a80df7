// SPDX-License-Identifier: Apache-2.0
// What errors of predicted steps make of a queue: jobs that say their steps run longer or shorter than predicted.
#pragma once
#include "models/results/model_error.hpp"
#include "models/results/telling.hpp"
#include "sim/sources/queue/queue_metrics.hpp"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// Figures of a queue as they are where all steps are as long as at one place of their errors: "low_95" … "high_95".
using QueueEnds = std::vector<std::pair<std::string, QueueMetrics>>;

/// One replay for each place. @p errors: by job; exact where the run time is as given. Jobs are off alike: most of an
/// error is of the system. @p replay: runs the queue on other jobs.
QueueEnds queue_ends(const Workload& workload, std::span<const ModelError> errors,
                     const std::function<QueueMetrics(std::shared_ptr<const Workload>)>& replay);

/// "jct_s_mean_low_80" and so on of times and money, in ascending order of their ends. Without those of a figure that
/// is absent at one of them.
std::map<std::string, double> figures_of(const QueueEnds& ends);

/// A row of a run, with what is 80 % sure of its times; the kinds of tables that say so are told below the rows.
std::vector<TableCell> row_of(const std::string& label, const QueueEnds& ends);
const std::vector<Column>& columns_of_ends();

} // namespace trainyard
