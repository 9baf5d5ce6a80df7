// SPDX-License-Identifier: Apache-2.0
#include "sim/study/score.hpp"

#include "models/core/data_folder.hpp"
#include "models/cost/profile.hpp"
#include "tests/support/places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace trainyard {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

ScoreMapping mapping_of(const std::string& text)
{
  Diagnostics diagnostics;
  ScoreMapping mapping = read_score_mapping(parse_document(text, "map.yaml", diagnostics), diagnostics);
  diagnostics.throw_if_errors();
  return mapping;
}

/// One buffer over TCP-like links without latency: the step is 2(n-1)/n S/B and nothing else.
std::string buffer_mapping(const std::string& more)
{
  return R"(
table: buffers
scenario:
  trainyard: 1
  cluster:
    node_types: {gpu: {gpu: T4, gpus: 1, nics: 1}}
    nodes: [{name: worker, type: gpu, count: "${nodes}"}]
    network: {topology: star, bandwidth: "${rate} GB/s", latency: 0 us}
  transports: {nccl: {efficiency: 1}}
  jobs:
    - {name: job, model: {name: one_tensor, elements: "${=size_bytes/4}"}, batch_per_gpu: 1, workers: "${total_gpus}", single_gpu_step: 1 ns,
       training: {mode: all_reduce, ring_order: ranks, latency_model: nccl, fusion: single, overlap: false, launch_time: 0 s, ring_base_latency: 0 s,
                  pcie_hop_latency: 0 s, network_hop_latency: 0 s}}
  run: {fidelity: closed_form}
)" + more;
}

ScoreResult score_of(const CsvTable& table, const ScoreMapping& mapping, const ScoreOptions& options = {})
{
  return score(table, table, mapping, load_catalogue(data_folder()), options);
}

constexpr const char* buffers =
    "strategy,nodes,total_gpus,metric,value,size_bytes\n"
    "ring,2,2,allreduce_time_ms,100,100000000\n" // 2(n-1)/n = 1: 1 GB/s
    "ring,4,4,allreduce_time_ms,200,100000000\n" // 1.5 x 100 MB at 1 GB/s: 150 ms, 25 % below 200
    "ring,2,2,allreduce_time_ms,,300000000\n"    // 300 ms
    "tree,2,2,allreduce_time_ms,50,100000000\n"; // 100 ms predicted

TEST(Score, FitsOneRowAndPredictsTheOthersByItsRate)
{
  const ScoreMapping mapping = mapping_of(buffer_mapping(R"(
units: [{name: rings, where: {strategy: ring}, one_rate: {factor: 2*(total_gpus-1)/total_gpus, line: 2}}, {name: trees, where: {strategy: tree}}]
fits: [{name: rate, line: 2, low: 0.1, high: 10}]
)"));
  const ScoreResult result = score_of(parse_csv(buffers, "t.csv"), mapping);
  ASSERT_EQ(result.parameters.size(), 1U);
  EXPECT_NEAR(result.parameters[0].second, 1, 2e-3);
  ASSERT_EQ(result.rows.size(), 4U);
  EXPECT_EQ(result.rows[0].use, "calibration");
  EXPECT_NEAR(result.rows[1].error_pct, -25, 0.2);
  EXPECT_EQ(result.rows[2].use, "predicted");
  EXPECT_NEAR(result.rows[2].predicted, 300, 1);
  EXPECT_NEAR(result.rows[3].error_pct, 100, 1);
  EXPECT_EQ(result.units[0].model.n, 1);                  // neither the calibration row nor the blank one
  EXPECT_NEAR(result.units[0].one_rate.median, 25, 0.01); // 1.5 x 100 MB at the anchor's 1 GB/s
}

// A rate by name: no row is used up. 100 MB x 2(n-1)/n at 2 GB/s are 50 ms of 100 and 75 of 200: 50 and 62.5 % too
// fast.
TEST(Score, TheSimpleFormulaTakesARateByName)
{
  std::string text = buffer_mapping("units: [{name: rings, where: {strategy: ring}, one_rate: {factor: "
                                    "2*(total_gpus-1)/total_gpus, rate: 2*total_gpus/nodes}}]\n");
  text.replace(text.find("${rate} GB/s"), 12, "1 GB/s");
  const ScoreResult result =
      score_of(parse_csv("strategy,nodes,total_gpus,metric,value,size_bytes\n"
                         "ring,2,2,allreduce_time_ms,100,100000000\nring,4,4,allreduce_time_ms,200,100000000\n",
                         "t.csv"),
               mapping_of(text));
  EXPECT_EQ(result.units[0].one_rate.n, 2);
  EXPECT_NEAR(result.units[0].one_rate.median, 56.25, 0.01);
}

CalibratedConstant measured(const std::string& name, const std::string& unit, double value)
{
  CalibratedConstant constant;
  constant.name = name;
  constant.unit = unit;
  constant.value = {value, value, value};
  return constant;
}

TEST(Score, ACalibrationTakesThePlaceOfTheCatalogue)
{
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("score_" + std::to_string(::getpid()) + ".json");
  Profile profile;
  profile.name = "box";
  profile.created = utc_now();
  profile.constants = {measured("transport.nccl.efficiency", "1", 0.5), measured("transport.nccl.latency", "s", 1e-9)};
  write_profile(profile, file);
  std::string text = buffer_mapping("units: [{name: all, where: {}}]\nfits: []\n");
  text.replace(text.find("${rate} GB/s"), 12, "1 GB/s");
  ScoreOptions options;
  options.calibration = file.string();
  // The mapping says `efficiency: 1` itself: that wins, 100 MB take 100 ms.
  const ScoreResult said = score_of(parse_csv(buffers, "t.csv"), mapping_of(text), options);
  EXPECT_EQ(said.calibration, "box");
  EXPECT_NEAR(said.rows[0].predicted, 100, 1);
  // Without that line half of 1 GB/s is left: 200 ms.
  text.replace(text.find("  transports: {nccl: {efficiency: 1}}\n"), 38, "");
  const ScoreResult measured_link = score_of(parse_csv(buffers, "t.csv"), mapping_of(text), options);
  EXPECT_NEAR(measured_link.rows[0].predicted, 200, 2);
  EXPECT_NEAR(measured_link.rows[2].predicted, 600, 6);

  // A profile of another GPU than the mapping's is refused, row by row, with what to do.
  profile.constants.push_back(measured("gpu.H100-SXM5.rate.fp32", "flop/s", 5e13));
  write_profile(profile, file);
  const ScoreResult other = score_of(parse_csv(buffers, "t.csv"), mapping_of(text), options);
  EXPECT_THAT(other.rows[0].use,
              HasSubstr("calibration 'box' is for H100-SXM5, the nodes have T4; calibrate a machine with these GPUs"));
  std::filesystem::remove(file);
}

TEST(Score, RowsWithoutASingleGpuStepAreComputedFromTheCalibratedRates)
{
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("score_gpu_" + std::to_string(::getpid()) + ".json");
  Profile profile;
  profile.name = "box";
  profile.created = utc_now();
  profile.constants = {measured("gpu.T4.rate.fp32", "flop/s", 1e12), measured("gpu.T4.memory_bandwidth", "B/s", 1e15)};
  write_profile(profile, file);
  const std::string text = R"(
table: one
reference: {where: {strategy: alone}, match: [batch_per_gpu]}
scenario:
  trainyard: 1
  cluster:
    node_types: {gpu: {gpu: T4, gpus: 1}}
    nodes: [{name: worker, type: gpu, count: 1}]
  jobs:
    - {name: job, model: vgg16, batch_per_gpu: 32, workers: 1, host_per_operator: 0 s, training: {mode: all_reduce}}
units: [{name: all, where: {}}]
)";
  const CsvTable table =
      parse_csv("strategy,nodes,total_gpus,metric,value,batch_per_gpu\nlocal,1,1,step_time_s,3,32\n", "t.csv");
  ScoreOptions options;
  options.calibration = file.string();
  const ScoreResult calibrated = score_of(table, mapping_of(text), options);
  ASSERT_EQ(calibrated.rows[0].use, "scored; no single-GPU row, compute from the calibration");
  const ScoreResult sheet = score_of(table, mapping_of(text));
  ASSERT_EQ(sheet.rows[0].use, "scored; no single-GPU row, compute from the data sheet");
  // 3 x 32 x 31 Gflop at 1 Tflop/s: 2.97 s where no layer has a kernel that saves work, less where Winograd does. The
  // rate alone decides: twice the rate, half the time.
  profile.constants[0] = measured("gpu.T4.rate.fp32", "flop/s", 2e12);
  write_profile(profile, file);
  EXPECT_NEAR(calibrated.rows[0].predicted_step / score_of(table, mapping_of(text), options).rows[0].predicted_step, 2,
              0.02);
  EXPECT_LT(calibrated.rows[0].predicted_step, 3.1);
  EXPECT_GT(calibrated.rows[0].predicted_step, 1.2);
  std::filesystem::remove(file);
}

TEST(Score, FactorsShiftAFittedNumberAfterwards)
{
  const ScoreMapping mapping = mapping_of(buffer_mapping(R"(
units: [{name: all, where: {metric: "*"}}]
fits: [{name: rate, line: 2, low: 0.1, high: 10}]
)"));
  ScoreOptions options;
  options.factors["rate"] = 2;
  EXPECT_NEAR(score_of(parse_csv(buffers, "t.csv"), mapping, options).rows[0].error_pct, -50, 0.2);
}

TEST(Score, SaysWhichFittedNumberContradictsTheDataSheet)
{
  const auto warnings = [](const char* data_sheet) {
    return score_of(parse_csv(buffers, "t.csv"), mapping_of(buffer_mapping(fmt::format(R"(
units: [{{name: all, where: {{metric: "*"}}}}]
fits: [{{name: rate, line: 2, low: 0.1, high: 10, data_sheet: {}, unit: GB/s, mechanism: line}}]
)",
                                                                                       data_sheet))))
        .warnings;
  };
  ASSERT_EQ(warnings("0.9").size(), 1U); // the row gives 1 GB/s
  EXPECT_THAT(warnings("0.9").front(), HasSubstr("'rate' is 1, more than the data sheet allows (0.9 GB/s)"));
  EXPECT_THAT(warnings("1.1"), ::testing::IsEmpty());
}

TEST(Score, SaysWhatTheScenariosOfRowsContradict)
{
  const std::string data = (tests::source_folder() / "tests/data/score_small").string();
  Diagnostics diagnostics;
  const ScoreMapping mapping = read_score_mapping(read_document(data + ".map.yaml", diagnostics), diagnostics);
  CsvTable table = read_csv(data + ".csv");
  EXPECT_THAT(score_of(table, mapping).warnings, ::testing::IsEmpty());
  table.rows[0].cells[7] = "32000"; // images/s of one GPU: 2 ms for 64
  const ScoreResult result = score_of(table, mapping);
  ASSERT_EQ(result.warnings.size(), 2U); // rows with a batch of 64, measured or not, and one of 32
  EXPECT_THAT(result.warnings, ::testing::Contains(::testing::AllOf(
                                   HasSubstr("'single_gpu_step' is 2.00 ms, less than 'resnet50' can take"),
                                   HasSubstr("(rows: 2, line 3 first)"))));
}

constexpr const char* two_models = "strategy,model,nodes,total_gpus,metric,value,size_bytes\n"
                                   "ring,a,2,2,allreduce_time_ms,100,100000000\n"  // 1 GB/s
                                   "ring,b,4,4,allreduce_time_ms,200,100000000\n"  // 1.5 x 100 MB: 0.75 GB/s
                                   "ring,a,4,4,allreduce_time_ms,150,100000000\n"; // 1 GB/s

TEST(Score, TransferFitsAConstantWithoutTheModelThatItPredicts)
{
  const ScoreMapping mapping = mapping_of(buffer_mapping(R"(
units: [{name: rings, where: {strategy: ring}}]
fits: [{name: rate, line: 2, low: 0.1, high: 10, otherwise: 2, unit: GB/s, mechanism: line}]
)"));
  ScoreOptions options;
  options.transfer = true;
  const ScoreResult result = score_of(parse_csv(two_models, "t.csv"), mapping, options);
  const UnitScore& unit = result.units.front();
  EXPECT_EQ(unit.constants, 1);
  // In the table, 1 GB/s from the first row: -25 % and 0.
  EXPECT_EQ(unit.model.n, 2);
  EXPECT_NEAR(unit.model.mean, 12.5, 0.2);
  // Row of b: from the row of a, -25 %. Row of a: from the row of b, 0.75 GB/s, 200 ms for 150: +33.3 %.
  EXPECT_EQ(unit.transfer.n, 2);
  EXPECT_NEAR(unit.transfer.mean, (25 + 100.0 / 3) / 2, 0.3);
  // Nothing fitted, 2 GB/s: 75 ms, -62.5 % and -50 %.
  EXPECT_NEAR(unit.names_only.mean, 56.25, 0.2);
  EXPECT_TRUE(std::isnan(result.rows[0].names_only_error_pct)); // the row of the fit is not scored
  EXPECT_NEAR(result.rows[1].names_only_error_pct, -62.5, 0.2);
  EXPECT_NEAR(result.rows[2].names_only_error_pct, -50, 0.2);
  EXPECT_NEAR(result.parameters.front().second, 1, 2e-3); // the fit itself stays
}

TEST(Score, WithoutAFitTheDefaultCounts)
{
  // Nobody knows the rate: the rule that needs it is left out, and the template's 4 GB/s count. 1.5 x 100 MB: 37.5 ms
  // for 200 and 150.
  std::string text = buffer_mapping(R"(
units: [{name: rings, where: {strategy: ring}, set: {cluster.network.bandwidth: "${=rate/2} GB/s"}}]
fits: [{name: rate, line: 2, low: 0.1, high: 10, unit: GB/s, mechanism: line}]
)");
  text.replace(text.find("${rate} GB/s"), 12, "4 GB/s");
  ScoreOptions options;
  options.transfer = true;
  const ScoreResult result = score_of(parse_csv(two_models, "t.csv"), mapping_of(text), options);
  EXPECT_NEAR(result.units.front().names_only.mean, (81.25 + 75) / 2, 0.2);
}

TEST(Score, AFitAtTheEndOfItsRangeIsSaid)
{
  const ScoreMapping mapping = mapping_of(buffer_mapping(R"(
units: [{name: rings, where: {strategy: ring}}]
fits: [{name: rate, line: 2, low: 2, high: 10, unit: GB/s, mechanism: line}]
)"));
  const ScoreResult result = score_of(parse_csv(buffers, "t.csv"), mapping);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_THAT(result.warnings.front(), HasSubstr("'rate' ended at an end of its range (2 to 10)"));
}

TEST(Score, SeveralReferencesAreOneTableWhoseLinesGoOn)
{
  // Line 2 of the second file, line 4 of both, fixes 1 GB/s: 1.5 x 100 MB take 150 ms, 25 % less than 200.
  const CsvTable table = parse_csv("strategy,nodes,total_gpus,metric,value,size_bytes\n"
                                   "ring,4,4,allreduce_time_ms,200,100000000\n",
                                   "rows.csv");
  const CsvTable other = parse_csv("strategy,nodes,total_gpus,metric,value,size_bytes\n"
                                   "tree,2,2,allreduce_time_ms,50,100000000\n",
                                   "other.csv");
  const CsvTable rate = parse_csv("strategy,notes,total_gpus,nodes,metric,value,size_bytes\n"
                                  "ring,mine,2,2,allreduce_time_ms,100,100000000\n",
                                  "rate.csv");
  const CsvTable both = one_below_the_other({other, rate});
  ASSERT_EQ(both.rows.size(), 2U);
  EXPECT_EQ(both.rows[1].line, 4);
  EXPECT_EQ(both.cell(both.rows[0], "notes"), "");
  EXPECT_EQ(both.cell(both.rows[1], "nodes"), "2");
  const ScoreMapping mapping = mapping_of(buffer_mapping("units: [{name: rings, where: {strategy: ring}}]\n"
                                                         "fits: [{name: rate, line: 4, low: 0.1, high: 10}]\n"));
  const ScoreResult result = score(table, both, mapping, load_catalogue(data_folder()), {});
  EXPECT_NEAR(result.rows.at(0).error_pct, -25, 0.2);
}

TEST(Score, AMappingIncludesAnother)
{
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("score_include_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream{folder / "base.map.yaml"} << buffer_mapping(
      "units: [{name: rings, where: {strategy: ring}}]\nfits: [{name: rate, line: 2, low: 0.1, high: 10}]\n");
  std::ofstream{folder / "own.map.yaml"}
      << "include: base.map.yaml\ntable: own\nunits: [{name: trees, where: {strategy: "
         "tree}}]\nfits: [{name: rate, line: 5, low: 0.1, high: 10}]\n";
  Diagnostics diagnostics;
  const ScoreMapping mapping =
      read_score_mapping(read_document((folder / "own.map.yaml").string(), diagnostics), diagnostics);
  std::filesystem::remove_all(folder);
  ASSERT_FALSE(diagnostics.has_errors());
  EXPECT_EQ(mapping.table, "own");
  ASSERT_EQ(mapping.units.size(), 2U);
  ASSERT_EQ(mapping.fits.size(), 1U); // the same name: ours
  EXPECT_EQ(mapping.fits.front().line, 5);
}

TEST(Score, CountsDecidedPairsAndNamesTheWrongOnes)
{
  // Both strategies are predicted alike by their bytes; the tree was measured at half the time, and the model cannot
  // say which wins.
  const ScoreMapping mapping = mapping_of(buffer_mapping(R"(
units: [{name: all, where: {metric: "*"}}]
fits: [{name: rate, line: 2, low: 0.1, high: 10}]
decisions: {match: [total_gpus, size_bytes], pairs: [{a: tree, b: ring}]}
)"));
  const DecisionScore decisions = score_of(parse_csv(buffers, "t.csv"), mapping).decisions;
  EXPECT_EQ(decisions.pairs, 1);
  EXPECT_EQ(decisions.decided, 1);
  EXPECT_EQ(decisions.first_wins, 1);
  EXPECT_EQ(decisions.right, 0);
  ASSERT_EQ(decisions.wrong.size(), 1U);
  EXPECT_THAT(decisions.wrong[0], StartsWith("2, 100000000, tree / ring: measured 0.500, predicted 1.000"));
}

TEST(Score, ReportsEveryRowOfATableItHasNeverSeen)
{
  const auto folder = tests::source_folder() / "tests/data";
  Diagnostics diagnostics;
  const ScoreMapping mapping =
      read_score_mapping(read_document(folder / "score_small.map.yaml", diagnostics), diagnostics);
  ASSERT_FALSE(diagnostics.has_errors());
  const ScoreResult result = score_of(read_csv(folder / "score_small.csv"), mapping);
  ASSERT_EQ(result.rows.size(), 6U);
  EXPECT_EQ(result.rows[0].use, "reference");
  EXPECT_EQ(result.rows[1].use, "scored");
  // 64/320 = 0.2 s is the least that a step can take; no step needs twice that on 25 Gbit/s (102 MB, 1.75 x 102/2.9 =
  // 62 ms).
  EXPECT_GE(result.rows[1].predicted_step, 0.2);
  EXPECT_LT(result.rows[1].predicted_step, 0.27);
  EXPECT_EQ(result.rows[2].use, "predicted");
  EXPECT_GT(result.rows[2].predicted, 16 * 64 / 0.27); // 4 nodes x 4 GPUs, although total_gpus is blank
  EXPECT_THAT(result.rows[3].use, StartsWith("not predicted: line 5: unknown model 'ResNet-51'"));
  EXPECT_THAT(result.rows[3].use, HasSubstr("names: {model: {\"ResNet-51\": resnet50}}"));
  EXPECT_THAT(result.rows[4].use, StartsWith("not predicted: line 6: no unit of the mapping covers strategy 'gossip'"));
  // Half the batch: half the reference's step at least; the update of the parameters takes as long as with the whole.
  EXPECT_GT(result.rows[5].linear_step, 0.1);
  EXPECT_LT(result.rows[5].linear_step, 0.12);
  EXPECT_GE(result.rows[5].predicted_step, result.rows[5].linear_step);
  EXPECT_LT(result.rows[5].predicted_step, 0.18);
  EXPECT_EQ(result.units[0].model.n, 2);
}

TEST(Score, TakesAModelFromAFile)
{
  const auto file = std::filesystem::temp_directory_path() / "trainyard_score_layers.csv";
  std::ofstream{file} << "name,parameters,flop\nembed,25000000,1e9\n";
  const std::string text =
      "table: own\nreference: {where: {total_gpus: 1}, match: [model]}\nnames: {model: {mine: " + file.string() + R"(}}
scenario:
  trainyard: 1
  cluster:
    node_types: {gpu: {gpu: V100-SXM2-16GB, gpus: 1}}
    nodes: [{name: worker, type: gpu, count: "${nodes}"}]
    network: {topology: star, bandwidth: 8 Gbit/s, latency: 0 us}
  transports: {nccl: {latency: 0 us, efficiency: 1}}
  jobs: [{name: job, model: "${model}", batch_per_gpu: "${batch_per_gpu}", workers: "${total_gpus}",
          single_gpu_step: "${t1} s", training: {mode: all_reduce, collective: ring, fusion: single, overlap: false}}]
  run: {fidelity: closed_form}
units: [{name: all, where: {strategy: ring}}]
)";
  const CsvTable table = parse_csv("strategy,nodes,total_gpus,model,batch_per_gpu,metric,value\n"
                                   "single,1,1,mine,8,images_per_s,80\n"
                                   "ring,2,2,mine,8,images_per_s,80\n",
                                   "t.csv");
  const ScoreResult result = score_of(table, mapping_of(text));
  std::filesystem::remove(file);
  // 0.1 s, and 100 MB at 1 GB/s once they are there: no sooner than at the end of the only layer's backward pass.
  EXPECT_EQ(result.rows[1].use, "scored");
  EXPECT_NEAR(result.rows[1].predicted_step, 0.2, 0.005);
}

TEST(Score, AReferenceOfAnotherBatchCountsByTheRooflineAndNotBySamples)
{
  // 100 MB of parameters and 1 Mflop per sample: computing takes microseconds, the optimiser, which reads and writes
  // the parameters whatever the batch is, about a millisecond. So the 0.1 s of 16 samples stand for 0.1 s of 8, where
  // samples alone would say 0.05 s. 100 MB at 1 GB/s between two nodes take another 0.1 s.
  const auto file = std::filesystem::temp_directory_path() / "trainyard_score_batch.csv";
  std::ofstream{file} << "name,parameters,flop\nembed,25000000,1e6\n";
  const std::string text =
      "table: own\nreference: {where: {total_gpus: 1}, match: [model]}\nnames: {model: {mine: " + file.string() + R"(}}
scenario:
  trainyard: 1
  cluster:
    node_types: {gpu: {gpu: V100-SXM2-16GB, gpus: 1}}
    nodes: [{name: worker, type: gpu, count: "${nodes}"}]
    network: {topology: star, bandwidth: 8 Gbit/s, latency: 0 us}
  transports: {nccl: {latency: 0 us, efficiency: 1}}
  jobs: [{name: job, model: "${model}", batch_per_gpu: "${batch_per_gpu}", workers: "${total_gpus}",
          single_gpu_step: "${t1} s", training: {mode: all_reduce, collective: ring, fusion: single, overlap: false}}]
  run: {fidelity: closed_form}
units: [{name: all, where: {strategy: ring}}]
)";
  const CsvTable table = parse_csv("strategy,nodes,total_gpus,model,batch_per_gpu,metric,value\n"
                                   "single,1,1,mine,16,images_per_s,160\n"
                                   "ring,2,2,mine,8,images_per_s,80\n",
                                   "t.csv");
  const ScoreResult result = score_of(table, mapping_of(text));
  std::filesystem::remove(file);
  EXPECT_EQ(result.rows[1].use, "scored");
  EXPECT_NEAR(result.rows[1].predicted_step, 0.2, 0.005);
}

TEST(Score, FillsBlankCellsAndDerivesColumns)
{
  ScoreMapping mapping;
  mapping.defaults["batch_per_gpu"] = "8";
  const CsvTable table = with_defaults(
      parse_csv("source,nodes,gpus_per_node,total_gpus,notes\nfile.md:12,2,4,,a; b ; c\nx:1,3,,0,\nx:2,,4,6,only\n",
                "t.csv"),
      mapping);
  const auto cell = [&](std::size_t row, const char* name) { return table.cell(table.rows[row], name); };
  EXPECT_EQ(cell(0, "batch_per_gpu"), "8");
  EXPECT_EQ(cell(0, "total_gpus"), "8");
  EXPECT_EQ(cell(0, "notes_first"), "a");
  EXPECT_EQ(cell(0, "notes_last"), "c");
  EXPECT_EQ(cell(0, "source_file"), "file.md");
  EXPECT_EQ(cell(1, "total_gpus"), "3"); // CPU rows count their nodes
  EXPECT_EQ(cell(2, "nodes"), "2");      // 6 GPUs at 4 per node
  EXPECT_EQ(cell(2, "notes_last"), "only");
}

TEST(Score, MeasuredStepTurnsMetricsIntoSeconds)
{
  const CsvTable table = parse_csv(
      "metric,value,batch_per_gpu,total_gpus,size_bytes\nimages_per_s,800,32,8,\nbusbw_GBps,1.5,,4,1000000000\n"
      "step_time_s,0.25,,,\nrun_time_s,9,,,\nimages_per_s,abc,32,8,\n",
      "t.csv");
  EXPECT_DOUBLE_EQ(*measured_step(table, table.rows[0]), 32 * 8 / 800.0);
  EXPECT_DOUBLE_EQ(*measured_step(table, table.rows[1]), 1.0); // 2 x 3/4 x 1 GB / 1.5 GB/s
  EXPECT_DOUBLE_EQ(*measured_step(table, table.rows[2]), 0.25);
  EXPECT_FALSE(measured_step(table, table.rows[3]));
  EXPECT_FALSE(measured_step(table, table.rows[4]));
}

TEST(Score, RefusesAFidelityOrFactorThatDoesNotExist)
{
  const ScoreMapping mapping =
      mapping_of(buffer_mapping("units: [{name: all}]\nfits: [{name: rate, line: 2, low: 0.1, high: 10}]\n"));
  ScoreOptions options;
  options.fidelity = "fluide";
  EXPECT_THROW(score_of(parse_csv(buffers, "t.csv"), mapping, options), InputError);
  options.fidelity.clear();
  options.factors["rat"] = 1.1;
  EXPECT_THROW(score_of(parse_csv(buffers, "t.csv"), mapping, options), InputError);
}

TEST(Score, RefusesAFitWhoseLineDoesNotExist)
{
  const ScoreMapping mapping =
      mapping_of(buffer_mapping("units: [{name: all}]\nfits: [{name: rate, line: 99, low: 1, high: 2}]\n"));
  try {
    score_of(parse_csv(buffers, "t.csv"), mapping);
    FAIL();
  } catch (const InputError& fault) {
    EXPECT_THAT(fault.diagnostics().front().message, HasSubstr("no row in line 99"));
  }
}

} // namespace
} // namespace trainyard
