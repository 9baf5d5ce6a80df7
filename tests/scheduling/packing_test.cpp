// SPDX-License-Identifier: Apache-2.0
// Static packing: tasks arrive and never leave.
#include "models/core/csv.hpp"
#include "sim/sources/queue/packing.hpp"
#include "tests/support/queue_scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

TraceJob task(int gpus, int gpu_milli = 1000, int cpu_milli = 0)
{
  return {.gpus = gpus, .tasks = 1, .gpu_milli = gpu_milli, .cpu_milli = cpu_milli};
}

TEST(Packing, CountsWhatIsAllocatedAgainstWhatWasAskedFor)
{
  // Two machines of 2 GPUs; six tasks of 1 GPU ask for 150 %. Until 100 % all are placed, then none: asked 25, 50, 75,
  // 100, 125, 150 %, allocated 25, 50, 75, 100, 100, 100 %, in any order.
  Workload workload;
  workload.jobs.assign(6, task(1));
  const auto placement = Registry<PlacementPolicy>::instance().create("first_fit");
  const PackedOrder order =
      pack(workload, ClusterShape::machines(2, 2), *placement, {.load = 1.5, .repeats_tasks = false}, 7);
  EXPECT_EQ(order.tasks, 6);
  EXPECT_EQ(order.placed, 4);
  EXPECT_EQ(order.at_measured, 100);
  EXPECT_EQ(order.at_end, 100);
  ASSERT_EQ(order.allocated.size(), 151U);
  EXPECT_EQ(order.allocated[75], 75);
  EXPECT_EQ(order.allocated[125], 100);
  EXPECT_EQ(order.allocated[60], -1) << "nobody arrived there";
}

TEST(Packing, CopiesFollowUpToTheLoadAndEveryPolicyGetsTheSameOrder)
{
  Workload workload;
  workload.jobs = {task(1), task(1, 500), task(2)};
  for (const char* policy : {"first_fit", "fgd", "random"}) {
    const auto placement = Registry<PlacementPolicy>::instance().create(policy);
    const PackedOrder order = pack(workload, ClusterShape::machines(4, 4), *placement, {.load = 1.2}, 3);
    EXPECT_GT(order.tasks, 10);
    EXPECT_EQ(order.tasks, pack(workload, ClusterShape::machines(4, 4), *placement, {.load = 1.2}, 3).tasks);
    EXPECT_LE(order.at_end, 100);
  }
}

TEST(Fgd, ATaskGoesWhereOthersThatAskForAModelCannotGo)
{
  // Machine 0 has a T4, machine 1 a V100. Half of the tasks ask for a T4, half take anything. F of machine 1: its GPU
  // is of no use to half of the tasks, 500 milli-GPU; taking it brings that to 0: score floor(100 sigmoid(0.5)) = 62.
  // Machine 0: all tasks can use it, nothing is gained: 50. Without the models both score 50, and machine 0 is first.
  ClusterShape shape = ClusterShape::machines(2, 1);
  shape.gpu_types = {"T4", "V100"};
  shape.nodes[1].gpu_type = 1;
  Workload workload;
  workload.gpu_types = shape.gpu_types;
  workload.jobs = {task(1), task(1)};
  workload.jobs[0].gpu_type = 0;
  const auto placed_at = [&] {
    NodePool pool{shape};
    const auto fgd = Registry<PlacementPolicy>::instance().create("fgd");
    fgd->begin(pool, workload, Random{1});
    pool.set_demands(workload.demands);
    return fgd->place(pool, request_of(workload.jobs[1]))->shares.front().node;
  };
  EXPECT_EQ(placed_at(), 1);
  workload.jobs[0].gpu_type = -1;
  EXPECT_EQ(placed_at(), 0);
}

class PackingFiles : public ::testing::Test
{
protected:
  PackingFiles() { std::filesystem::create_directories(folder); }
  ~PackingFiles() override { std::filesystem::remove_all(folder); }
  std::string write(const std::string& name, const std::string& text)
  {
    std::ofstream{folder / name} << text;
    return (folder / name).string();
  }
  std::filesystem::path folder = std::filesystem::temp_directory_path() / ("packing." + std::to_string(::getpid()));
};

TEST_F(PackingFiles, ListsOfTasksWithoutTimesArePackedAndNotReplayed)
{
  std::string rows = "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n";
  for (int i = 0; i < 8; ++i)
    rows += "t" + std::to_string(i) + ",1000,1024,1,1000\n";
  const std::string work = "workload: {trace: {file: " + write("tasks.csv", rows) + "}";
  const std::string placements = "scheduling: {placements: [first_fit, fgd]}\n";
  const RunReport report = tests::run_queue(tests::queue_head + work + ", packing: {orders: 3}}\n" + placements);
  const Json summary = Json(report.summary);
  EXPECT_EQ(summary["kind"], "trainyard packing");
  EXPECT_EQ(summary["orders"], 3);
  ASSERT_EQ(summary["policies"].size(), 2U);
  EXPECT_EQ(summary["policies"][1]["policy"], "fgd");
  EXPECT_EQ(summary["policies"][1]["allocated_percent"], 100); // 8 GPUs, tasks of 1 GPU
  EXPECT_THAT(report.text(), HasSubstr("tasks arrive in 3 orders and never leave, on 8 GPUs"));
  ASSERT_EQ(report.files.size(), 3U);
  for (const RunFile& file : report.files) {
    file.write(folder / file.name);
    EXPECT_GT(std::filesystem::file_size(folder / file.name), 100U) << file.name;
  }
  EXPECT_THAT(tests::queue_faults(tests::queue_head + work + "}\n" + placements),
              HasSubstr("the file lists tasks without times, so there is nothing to replay"));
  EXPECT_THAT(tests::queue_faults(tests::queue_head + work + ", packing: {load: 0.5}}\n"),
              HasSubstr("'measured_at' is above 'load'"));
}

} // namespace
} // namespace trainyard
