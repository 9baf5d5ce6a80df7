// SPDX-License-Identifier: Apache-2.0
/// Faulty scenarios and what is said about each, word for word (tests/golden/bad). UPDATE_GOLDEN=1 writes the answers
/// again; read them.
#include "models/core/data_folder.hpp"
#include "models/scenario/places.hpp"
#include "sim/run/simulate.hpp"
#include "tests/support/places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace trainyard {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string answer(Document document, Diagnostics diagnostics)
{
  if (!diagnostics.has_errors())
    check_points(document, diagnostics);
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.sorted())
    text += format(diagnostic);
  return text;
}

TEST(BadScenarios, EachIsToldWithPlaceAndWayOut)
{
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator{tests::source_folder() / "tests/golden/bad"})
    if (entry.path().extension() == ".yaml")
      files.push_back(entry.path());
  std::ranges::sort(files);
  EXPECT_GE(files.size(), 60U);
  for (const fs::path& file : files) {
    Diagnostics diagnostics;
    Document document = read_document(file, diagnostics);
    std::string said = answer(document, diagnostics);
    for (std::size_t at = 0; (at = said.find(file.parent_path().string() + "/")) != std::string::npos;)
      said.erase(at, file.parent_path().string().size() + 1);
    EXPECT_THAT(said, HasSubstr("error: ")) << file << " is not refused";
    fs::path golden = file;
    golden.replace_extension(".expected");
    if (std::getenv("UPDATE_GOLDEN") != nullptr)
      std::ofstream{golden} << said;
    std::ostringstream expected;
    expected << std::ifstream{golden}.rdbuf();
    EXPECT_EQ(said, expected.str()) << file;
  }
}

std::string about(const std::string& jobs_and_rest)
{
  Diagnostics diagnostics;
  Document document = parse_document(
      "cluster:\n  node_types: {w: {gpu: V100-SXM2-16GB}}\n  nodes: [{name: w, type: w, count: 2}]\n" + jobs_and_rest,
      "a.yaml", diagnostics);
  return answer(document, diagnostics);
}

TEST(Places, AFaultStandsAtItsOwnJobWhateverTheNamesAre)
{
  // The jobs begin in line 4; "a" has copies, which are called a-0 and a-1, and "a-big" is a job of its own.
  const std::string all = about("jobs:\n"
                                "  - {name: a, copies: 2, model: resnet50}\n"
                                "  - {name: worker, model: resnet50}\n"
                                "  - {name: a-big, model: resnet50, nodes: [w-9]}\n"
                                "  - {name: \"it's\", model: resnet50, batch_per_gpu: 999999}\n"
                                "  - name: ab\n"
                                "    model: resnet50\n"
                                "    training: {mode: all_reduce, transport: tcp}\n");
  EXPECT_THAT(all, HasSubstr("a.yaml:7:43: error: job 'a-big': worker 0 is placed on unknown node 'w-9'"));
  EXPECT_THAT(all, HasSubstr("a.yaml:8:5: error: job 'it's': out of GPU memory"));
  EXPECT_THAT(all, HasSubstr("a.yaml:11:45: error: job 'ab': transport 'tcp' has no all_reduce between GPUs"));
}

// Of BERT-Large with 4 sequences of 512 tokens a layer keeps, in fp32, 4 (66 s h + 9 a s s) B: 6.9 GB in all, and 12.5
// GB where TensorFlow 1 composes it; parameters with Adam are 5.4 GB. A V100 has 16.9 GB, of which TensorFlow
// takes 16.1.
TEST(Memory, AnAssumedFrameworkRefusesNothingThatAnotherOneRuns)
{
  const std::string job = "jobs:\n  - {name: j, model: {name: bert_large, sequence_length: 512}, precision: fp32, "
                          "optimizer: adam, batch_per_gpu: 4}\n";
  const std::string open = about(job);
  EXPECT_THAT(open, HasSubstr("GPU memory may not suffice"));
  EXPECT_THAT(open, HasSubstr("Say which: 'framework: pytorch' or 'framework: tensorflow'"));
  EXPECT_THAT(open, testing::Not(HasSubstr("error")));
  EXPECT_THAT(about("framework: {name: tensorflow, version: \"1.12\"}\n" + job), HasSubstr("out of GPU memory"));
  EXPECT_THAT(about("framework: {name: pytorch, version: \"1.7\"}\n" + job),
              testing::Not(HasSubstr("out of GPU memory")));
}

TEST(Places, AFaultOfTheMachinesStandsAtItsKeyInEveryKindOfRun)
{
  // An odd k in line 4: found when the cluster is built.
  Diagnostics diagnostics;
  const Document document =
      parse_document("cluster:\n  node_types: {w: {gpu: V100-SXM2-16GB}}\n  nodes: [{name: w, type: w, count: 2}]\n"
                     "  network: {topology: fat_tree, k: 3}\nworkload: {generate: {jobs: 3}}\n",
                     "a.yaml", diagnostics);
  EXPECT_THAT(answer(document, diagnostics), HasSubstr("a.yaml:4:"));
}

TEST(FusedElementwise, IsTrueFalseOrAListOfKinds)
{
  const auto of = [&](const std::string& value) {
    return about(
        "jobs: [{model: gpt3_125m, precision: fp16, workers: 2, training: {parallel: {zero: 1, global_batch: 2, "
        "fused_elementwise: " +
        value + "}}}]\n");
  };
  for (const char* good : {"true", "false", "[norm, rotary]", "[norm_of_fp32]", "[]"})
    EXPECT_EQ(of(good), "") << good;
  EXPECT_THAT(of("[norm, rotery]"),
              HasSubstr("unknown kind 'rotery' of element-wise operators; did you mean 'rotary'?; "
                        "known are norm, norm_of_fp32, rotary, activation, dropout"));
  EXPECT_THAT(of("maybe"), HasSubstr("'fused_elementwise' must be true or false, found 'maybe'"));
  EXPECT_THAT(of("{norm: true}"), HasSubstr("'fused_elementwise'"));
  EXPECT_THAT(of("[norm, norm_of_fp32]"), HasSubstr("norm and norm_of_fp32 exclude each other: name one of them"));
}

TEST(Transports, EachFaultIsToldAtItsPlace)
{
  const std::string job = "jobs: [{model: resnet50, workers: 2}]\n";
  const auto has = [&](const std::string& transports, const std::string& part) {
    EXPECT_THAT(about(job + "transports:\n" + transports), HasSubstr(part));
  };
  has("  ncl:\n    latency: 5 us\n",
      ":6:3: error: transport 'ncl' is not in the catalogue; did you mean 'nccl'?; for a "
      "new one write 'like: <known transport>'");
  has("  mine: {like: ncl}\n", "error: unknown transport 'ncl'; did you mean 'nccl'?");
  has("  nccl: {latency: 5}\n", "'latency': ");
  has("  nccl: {efficiency: 1.5}\n", "'efficiency' is 1.5; it must be from 1e-06 to 1");
  has("  nccl: {name: other}\n", "unknown key 'name'"); // its name is its key
  has("  nccl: {collective: rign}\n", "unknown collective 'rign'; did you mean 'ring'?");
  has("  nccl: {supports: {gpu: {all_reduce: often}}}\n", "unknown all_reduce 'often'; known: yes, no, ?");
  has("  nccl: {rate: [{size: 2 MB}, {size: 1 MB}]}\n", "the points of 'rate' must be sorted by size");
  has("  nccl: {rate: [{efficiency: 1}]}\n", "a point of 'rate' lacks 'size'");
}

TEST(Transports, ANewOneHasTheFiguresOfTheOneItIsLike)
{
  Diagnostics diagnostics;
  const Catalogue catalogue = load_catalogue(data_folder());
  const Document document = parse_document("transports:\n  mine: {like: grpc, latency: 5 us, cpu_time_per_GB: 2 s}\n"
                                           "  grpc: {rate: [{size: 1 MB, efficiency: 50 %}]}\n",
                                           "a.yaml", diagnostics);
  const Scenario scenario = read_scenario(document, registered_parts(), catalogue, diagnostics);
  const Transport &mine = scenario.transports.at("mine"), &grpc = scenario.transports.at("grpc"),
                  &known = catalogue.transports.at("grpc");
  EXPECT_EQ(mine.name, "mine");
  EXPECT_DOUBLE_EQ(mine.latency.value(), 5e-6);
  EXPECT_EQ(mine.endpoint_limit, known.endpoint_limit);
  EXPECT_EQ(mine.supports, known.supports);
  EXPECT_DOUBLE_EQ(mine.cpu_per_byte.value(), 2e-9); // 2 s for 10^9 bytes
  EXPECT_EQ(grpc.latency, known.latency);
  ASSERT_EQ(grpc.rate.size(), 1U);
  EXPECT_EQ(grpc.rate[0].size, Bytes{1e6});
  EXPECT_EQ(grpc.rate[0].efficiency, 0.5);
}

// What is not given stays as the catalogue has it: gRPC's 2 s of a core for a GB beside a limit of one's own.
TEST(Transports, OneFigureOfOnesOwnLeavesTheOthers)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  const Transport& known = catalogue.transports.at("grpc");
  const auto grpc = [&](const std::string& own) {
    Diagnostics diagnostics;
    const Document document = parse_document("transports:\n  grpc: {" + own + "}\n", "a.yaml", diagnostics);
    return read_scenario(document, registered_parts(), catalogue, diagnostics).transports.at("grpc");
  };
  for (const char* own : {"endpoint_limit: 1 GB/s", "stream_limit: 1 GB/s", "latency: 1 us", "efficiency: 50 %"})
    EXPECT_DOUBLE_EQ(grpc(own).cpu_per_byte.value(), 2e-9) << own;
  EXPECT_EQ(grpc("endpoint_limit: 1 GB/s").stream_limit, known.stream_limit);
  EXPECT_EQ(grpc("cpu_time_per_GB: 1 s").endpoint_limit, known.endpoint_limit);
  EXPECT_DOUBLE_EQ(grpc("endpoint_limit: 1 GB/s, cpu_time_per_GB: 0 s").cpu_per_byte.value(), 0);
}

TEST(Transports, AnEfficiencyOfOnesOwnCountsOverInfiniBandToo)
{
  Diagnostics diagnostics;
  const Catalogue catalogue = load_catalogue(data_folder());
  const Document document =
      parse_document("transports:\n  nccl: {efficiency: 80 %}\n"
                     "  both: {like: nccl, efficiency: 80 %, infiniband_efficiency: 90 %}\n  same: {like: nccl}\n",
                     "a.yaml", diagnostics);
  const Scenario scenario = read_scenario(document, registered_parts(), catalogue, diagnostics);
  const auto over_infiniband = [&](const char* name) {
    return scenario.transports.at(name).settings.number("infiniband_efficiency", 0);
  };
  EXPECT_EQ(over_infiniband("nccl"), 0); // as over every link
  EXPECT_EQ(over_infiniband("both"), 0.9);
  EXPECT_EQ(over_infiniband("same"), 0.994); // 4096 / 4122, of the catalogue
}

TEST(WithoutEffect, EachUnusedKeyIsAWarningAndNoOtherIs)
{
  EXPECT_EQ(about("jobs: [{model: resnet50, workers: 2}]\nrun: {seed: 2, fidelity: fluid}\n"), "");
  const std::string all =
      about("jobs:\n  - {model: resnet50, priority: 3, user: eve, memory_fraction: 0.5, input: {source: disk},\n"
            "     jitter: {coefficient_of_variation: 0.1}}\n"
            "transports: {mpi: {like: nccl, cpu_time_per_GB: 1 s}}\n"
            "run: {until: 5 s}\n");
  for (const char* key :
       {"until", "priority", "user", "memory_fraction", "source", "coefficient_of_variation", "cpu_time_per_GB"})
    EXPECT_THAT(all, HasSubstr(std::string{"warning: '"} + key + "' has no effect")) << key;
  EXPECT_THAT(all, HasSubstr("transport 'mpi' has no effect: no job uses it"));
}

// A queue that does not decide shares at fidelity flow says which condition fails.
TEST(WithoutEffect, AQueueAtFlowTellsWhyWindowsDoNotDecide)
{
  const auto about_queue = [](const std::string& training, const std::string& more = "", int workers = 2,
                              const std::string& network = "bandwidth: 10 Gbit/s",
                              const std::string& fidelity = "flow") {
    return about("  network: {" + network + ", queue: 128 kB" + more +
                 "}\njobs: [{name: a, model: resnet50, workers: " + std::to_string(workers) + ", training: {" +
                 training + "}}]\nrun: {fidelity: " + fidelity + "}\n");
  };
  const std::string servers = "mode: parameter_server, servers: 1, transport: tcp";
  const auto why = [](const std::string& reason) {
    return HasSubstr("'queue' has no effect: at fidelity flow windows of TCP do not decide shares here: " + reason);
  };
  EXPECT_THAT(about_queue("mode: all_reduce, transport: gloo"),
              why("job 'a' has mode all_reduce, not parameter_server or in_graph; use fidelity tcp"));
  EXPECT_THAT(about_queue(servers + ", update_rule: async"),
              why("job 'a' has update_rule async, not sync or sync_replicas"));
  EXPECT_THAT(about_queue("mode: parameter_server, servers: 1, transport: rdma"),
              why("job 'a' has transport rdma, over RDMA, which has none; over sockets, write transports: {rdma: "
                  "{rdma: false}}"));
  EXPECT_THAT(about_queue(servers + ", one_represents_all: 'yes'"),
              why("job 'a' has one worker that stands for all; leave out 'one_represents_all'"));
  EXPECT_THAT(about_queue(servers, ", congestion_control: bbr"), why("those of bbr are not known"));
  EXPECT_THAT(about_queue(servers), ::testing::Not(HasSubstr("has no effect")));
  EXPECT_THAT(about_queue(servers, "", 2, "link: IB-EDR"),
              HasSubstr("'queue' has no effect: no link of the network is Ethernet"));
  EXPECT_THAT(about_queue(servers, "", 2, "link: IB-EDR", "tcp"),
              HasSubstr("'queue' has no effect: no link of the network is Ethernet"));
  // auto is fluid beyond 16 workers.
  EXPECT_THAT(about_queue(servers, "", 2, "bandwidth: 10 Gbit/s", "auto"), ::testing::Not(HasSubstr("has no effect")));
  EXPECT_THAT(about_queue(servers, "", 17, "bandwidth: 10 Gbit/s", "auto"),
              HasSubstr("'queue' has no effect: at fidelity auto (fluid) links have no queues and always their "
                        "bandwidth; use fidelity tcp"));
  EXPECT_THAT(about_queue(servers + ", one_represents_all: 'yes'", "", 2, "bandwidth: 10 Gbit/s", "tcp"),
              HasSubstr("one worker that stands for all meets no others in queues"));
}

TEST(BadScenarios, OnlyWordsForTheSameThingAreTranslated)
{
  const auto said = [](const std::string& key) {
    return about("jobs: [{model: llama3_8b, workers: 2, training: {parallel: {" + key + ": 1, global_batch: 8}}}]\n");
  };
  for (const char* key : {"pipeline_parallel_schedule", "expert_tensor_parallel_size", "data_parallel_shard_degree"}) {
    EXPECT_THAT(said(key), HasSubstr(std::string{"unknown key '"} + key + "'"));
    EXPECT_THAT(said(key), ::testing::Not(HasSubstr("'; write '"))) << key;
  }
  EXPECT_THAT(said("context_parallel_size"), HasSubstr("unknown key 'context_parallel_size'; write 'cp'"));
  EXPECT_THAT(said("tensor_parallel_degree"), HasSubstr("unknown key 'tensor_parallel_degree'; write 'tp'"));
  EXPECT_THAT(about("jobs: [{model: resnet50, workers: 2, training: {architecture: parameter_server}}]\n"),
              HasSubstr("unknown key 'architecture'; write 'mode'"));
  EXPECT_THAT(about("jobs: [{model: resnet50, workers: 2, training: {sync: true}}]\n"),
              HasSubstr("unknown key 'sync'; write 'update_rule: sync'"));
  EXPECT_THAT(about("jobs: [{model: resnet50, gpus: 8, batch_size: 32, dtype: bf16}]\n"),
              ::testing::AllOf(HasSubstr("unknown key 'gpus'; write 'workers'"),
                               HasSubstr("unknown key 'batch_size'; write 'batch_per_gpu'"),
                               HasSubstr("unknown key 'dtype'; write 'precision'")));
}

// Both modes say themselves what a step computes; a generic step has workers of several speeds.
TEST(WithoutEffect, WhatAModeDoesNotLookAtIsTold)
{
  const std::string all = "accumulation_steps: 4, input: {source: disk, bandwidth: 1 GB/s, bytes_per_sample: 1 MB}, "
                          "stragglers: [{worker: 0, slow_down: 2}], jitter: {distribution: normal, "
                          "coefficient_of_variation: 0.1}";
  for (const auto& [model, mode, told] :
       {std::tuple{"generic", "generic", 2}, {"one_tensor", "one_collective", 4}, {"resnet50", "all_reduce", 0}}) {
    const std::string messages =
        about("jobs: [{model: " + std::string{model} + ", " + all + ", training: {mode: " + mode + "}}]\n");
    int warnings = 0;
    for (std::size_t at = 0; (at = messages.find("does not look at it", at)) != std::string::npos; ++at)
      ++warnings;
    EXPECT_EQ(warnings, told) << messages;
  }
}

// Tokens belong to networks of sequences (models/dnn/transformer.cpp, small.cpp), elements to the synthetic ones
// (one_tensor.cpp, synthetic.cpp, plain.cpp).
TEST(WithoutEffect, OptionsOfAModelThatItDoesNotTakeAreTold)
{
  const auto about_model = [](const std::string& model) { return about("jobs: [{model: {" + model + "}}]\n"); };
  for (const char* model : {"resnet50", "vit_b_16", "one_tensor"})
    EXPECT_THAT(
        about_model(std::string{"name: "} + model + ", sequence_length: 64"),
        HasSubstr("warning: 'sequence_length' has no effect: '" + std::string{model} + "' has no sequences of tokens"));
  for (const char* model : {"resnet50", "bert_base", "deepspeech2"})
    EXPECT_THAT(about_model(std::string{"name: "} + model + ", elements: 1000"),
                HasSubstr("warning: 'elements' has no effect: the size of '" + std::string{model} + "' is fixed"));
  for (const char* model : {"bert_base", "transformer", "transformer, layers: 3", "deepspeech2"})
    EXPECT_EQ(about_model(std::string{"name: "} + model + ", sequence_length: 64"), "") << model;
  for (const char* model : {"one_tensor", "even_tensors", "matrices", "tiny_images"})
    EXPECT_EQ(about_model(std::string{"name: "} + model + ", elements: 1e6"), "") << model;
  // A sweep in which one of the models takes it has no useless key.
  EXPECT_THAT(about("jobs: [{model: {name: resnet50, sequence_length: 64}}]\n"
                    "sweep: {grid: {jobs.0.model.name: [resnet50, bert_base]}}\n"),
              ::testing::Not(HasSubstr("has no effect")));
}

// Only one of flop and times can say how long a layer computes.
TEST(WithoutEffect, ALayerHasFlopOrTimesAndAllHaveTheSame)
{
  const auto about_layers = [](const std::string& layers) {
    return about("jobs: [{model: {layers: [" + layers + "]}}]\n");
  };
  const std::string flop = "{parameters: [10], flop: 1e9}", times = "{parameters: [10], forward: 1 ms, backward: 2 ms}";
  EXPECT_THAT(about_layers("{parameters: [10], flop: 1e9, forward: 3 ms}"),
              HasSubstr("layer 1: it has flop and times"));
  EXPECT_THAT(about_layers("{parameters: [10], forward: 3 ms}"), HasSubstr("layer 1: a time is missing"));
  EXPECT_THAT(about_layers("{parameters: [10]}"), HasSubstr("layer 1: it has neither flop nor times"));
  EXPECT_THAT(about_layers(times + ", " + flop), HasSubstr("layer 2: the first layer has other figures"));
  EXPECT_EQ(about_layers(flop + ", " + flop), "");
  EXPECT_EQ(about_layers(times + ", " + times), "");
}

TEST(WithoutEffect, CoresAndMemoryOfMachinesThatNoJobFeelsAreTold)
{
  const auto about_machine = [](const std::string& rest) {
    Diagnostics diagnostics;
    Document document = parse_document(
        "cluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, cpu_cores: 8, memory: 256 GB, cpu: EPYC-7742}}\n"
        "  nodes: [{name: w, type: w, count: 2}]\n" +
            rest,
        "a.yaml", diagnostics);
    return answer(document, diagnostics);
  };
  const std::string plain = about_machine("jobs: [{model: resnet50}]\n");
  for (const char* key : {"cpu_cores", "memory", "cpu"})
    EXPECT_THAT(plain, HasSubstr(std::string{"warning: '"} + key + "' has no effect")) << key;
  EXPECT_EQ(
      about_machine(
          "jobs: [{model: resnet50, input: {source: disk, preprocess_per_sample: 5 ms}}, {name: c, model: resnet50, "
          "training: {mode: all_reduce, transport: gloo, device: cpu}}]\n"),
      "");
  EXPECT_EQ(about_machine("workload: {generate: {jobs: 3}}\n"), "");
}

TEST(WithoutEffect, NoShippedScenarioSaysWhatHasNoEffect)
{
  for (const auto& entry : fs::recursive_directory_iterator{tests::source_folder() / "scenarios"}) {
    if (entry.path().extension() != ".yaml")
      continue;
    Diagnostics diagnostics;
    const Document document = read_document(entry.path(), diagnostics);
    EXPECT_THAT(answer(document, diagnostics), ::testing::Not(HasSubstr("has no effect"))) << entry.path();
  }
}

TEST(WithoutEffect, AKeyThatActsAtOnePointOfASweepIsNoWarning)
{
  EXPECT_EQ(about("transports: {mine: {like: nccl}}\njobs: [{model: resnet50, workers: 2}]\n"
                  "sweep: {grid: {jobs.0.training.transport: [nccl, mine]}}\n"),
            "");
}

TEST(BadScenarios, LayoutsWhoseSizesMultiplyBeyondAllNumbersAreErrors)
{
  // 65,536 x 65,536 = 2^32, which is 0 in 32 bits: simrun divided by it and ended without a word.
  const auto said = [](const std::string& layout) {
    Diagnostics diagnostics;
    Document document = parse_document("cluster:\n  node_types: {w: {gpu: H100-SXM5, gpus: 8}}\n"
                                       "  nodes: [{name: w, type: w, count: 1}]\n"
                                       "jobs: [{model: llama3_8b, workers: 8, training: {parallel: {" +
                                           layout + ", global_batch: 8}}}]\n",
                                       "a.yaml", diagnostics);
    return answer(document, diagnostics);
  };
  EXPECT_THAT(said("tp: 65536, pp: 65536"),
              HasSubstr("tp x pp x cp x dp = 65536 x 65536 x 1 x 1 = 4294967296 GPUs; at most 1000000 are possible"));
  EXPECT_THAT(said("pp: 65536, vp: 65536"), HasSubstr("pp x vp = 65536 x 65536 = 4294967296 chunks of layers"));
  EXPECT_THAT(said("dp: 65536, micro_batch: 65536"),
              HasSubstr("dp x micro_batch = 65536 x 65536 = 4294967296 sequences; at most 100000000 are possible"));
}

} // namespace
} // namespace trainyard
