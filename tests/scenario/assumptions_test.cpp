// SPDX-License-Identifier: Apache-2.0
/// What a scenario that says little is taken to mean, and that the result says so.
#include "models/core/data_folder.hpp"
#include "models/dnn/builder.hpp"
#include "models/scenario/assumptions.hpp"
#include "models/scenario/schema.hpp"
#include "sim/run/simulate.hpp"
#include "tests/support/checked_points.hpp"
#include "tests/support/places.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trainyard {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const Catalogue& catalogue()
{
  static const Catalogue read = load_catalogue(data_folder());
  return read;
}

/// One machine with one GPU and a job on it; @p job and @p top are added.
std::string one_gpu(const std::string& gpu, const std::string& job = "", const std::string& top = "")
{
  return fmt::format(
      "{}cluster:\n  node_types:\n    worker: {{gpu: {}}}\n  nodes:\n    - {{name: worker, type: worker}}\n"
      "jobs:\n  - {{name: train, model: resnet50{}}}\nrun: {{fidelity: closed_form}}\n",
      top, gpu, job);
}

Scenario read(const std::string& text, Diagnostics& diagnostics)
{
  const Document document = parse_document(text, "test.yaml", diagnostics);
  return read_scenario(document, registered_parts(), catalogue(), diagnostics);
}

JobSpec job_of(const std::string& text)
{
  Diagnostics diagnostics;
  const Scenario scenario = read(text, diagnostics);
  diagnostics.throw_if_errors();
  return scenario.jobs.front();
}

Results run(const std::string& text)
{
  Diagnostics diagnostics;
  const Document document = parse_document(text, "test.yaml", diagnostics);
  const std::vector<CheckedPoint> points = check_points(document, diagnostics);
  diagnostics.throw_if_errors();
  return simulate(points);
}

// The catalogue: 40 us were measured with MXNet 1 on a V100, 10 us are between the published figures of PyTorch 2. A100
// and newer have bf16.
TEST(Assumptions, TheFrameworkIsThatOfTheGpusTime)
{
  for (const char* old : {"K80", "P100-SXM2", "T4", "V100-SXM2-16GB", "RTX-2080-Ti"}) {
    const JobSpec job = job_of(one_gpu(old));
    EXPECT_EQ(job.host_per_operator, 40_us) << old;
    EXPECT_EQ(job.precision, "fp32") << old;
  }
  for (const char* current : {"A100-SXM4-80GB", "H100-SXM5", "B200-SXM", "MI300X"}) {
    const JobSpec job = job_of(one_gpu(current));
    EXPECT_EQ(job.host_per_operator, 10_us) << current;
    EXPECT_EQ(job.precision, "amp") << current;
  }
}

TEST(Assumptions, TheEraWinsOverTheGpuAndTheFrameworkOverTheEra)
{
  JobSpec job = job_of(one_gpu("A100-SXM4-80GB", "", "era: \"2019\"\n"));
  EXPECT_EQ(job.host_per_operator, 40_us);
  EXPECT_EQ(job.precision, "fp32");
  job = job_of(one_gpu("V100-SXM2-16GB", "", "era: \"2024\"\n"));
  EXPECT_EQ(job.host_per_operator, 10_us);
  EXPECT_EQ(job.precision, "amp"); // V100 has matrix units
  job = job_of(one_gpu("V100-SXM2-16GB", "", "era: \"2019\"\nframework: {name: pytorch, version: \"2.3\"}\n"));
  EXPECT_EQ(job.host_per_operator, 10_us);
  job = job_of(one_gpu("A100-SXM4-80GB", "", "framework: {name: pytorch, version: \"1.13\"}\n"));
  EXPECT_EQ(job.host_per_operator, 40_us);
  job = job_of(one_gpu("A100-SXM4-80GB", "", "framework: {name: mxnet}\n"));
  EXPECT_EQ(job.host_per_operator, 40_us);
  job = job_of(one_gpu("V100-SXM2-16GB", "", "framework: {name: pytorch, cuda_graphs: true}\n"));
  EXPECT_EQ(job.host_per_operator, 0_us);
  // one that the catalogue does not know leaves the GPU to decide
  job = job_of(one_gpu("V100-SXM2-16GB", "", "framework: {name: paddle}\n"));
  EXPECT_EQ(job.host_per_operator, 40_us);
}

// ps-lite cuts arrays over all servers and sums a machine's gradients first, over ZeroMQ; TensorFlow up to 1.3 had the
// slower gRPC. Only a framework that is named decides that, and what the job says counts more.
TEST(Assumptions, AFrameworkThatIsNamedTrainsInItsOwnWay)
{
  const std::string servers = ", training: {mode: parameter_server, servers: 1}";
  const auto settings = [&](const std::string& training, const std::string& framework) {
    return job_of(one_gpu("V100-SXM2-16GB", training, framework)).training.settings;
  };
  Settings own = settings(servers, "framework: {name: mxnet}\n");
  EXPECT_EQ(own.text("transport", ""), "zmq");
  EXPECT_EQ(own.text("variable_placement", ""), "partitioned");
  EXPECT_DOUBLE_EQ(own.number("partition_size", 0), 4e6);
  EXPECT_EQ(own.text("local_aggregation", ""), "host");
  EXPECT_EQ(job_of(one_gpu("V100-SXM2-16GB", servers, "framework: {name: mxnet}\n")).training.transport, "zmq");
  own = settings(servers, "framework: {name: byteps}\n");
  EXPECT_EQ(own.text("local_aggregation", ""), "collective");
  EXPECT_EQ(settings(servers, "framework: {name: tensorflow, version: \"1.1\"}\n").text("transport", ""), "grpc_2016");
  EXPECT_EQ(settings(servers, "framework: {name: tensorflow, version: \"1.4\"}\n").text("transport", "none"), "none");
  EXPECT_EQ(settings(servers, "era: \"2019\"\n").text("transport", "none"), "none");
  own = settings(", training: {mode: parameter_server, servers: 1, transport: rdma}", "framework: {name: byteps}\n");
  EXPECT_EQ(own.text("transport", ""), "rdma");
  EXPECT_EQ(own.text("pull", ""), "after_update");
}

TEST(Assumptions, EverySettingThatAFrameworkMakesIsOneOfItsMode)
{
  for (const auto& [name, framework] : catalogue().frameworks)
    for (const auto& [mode, settings] : framework.training) {
      std::string text;
      for (const auto& [key, value] : settings)
        text += fmt::format(", {}: {}", key, value);
      Diagnostics diagnostics;
      read(one_gpu("V100-SXM2-16GB", fmt::format(", training: {{mode: {}, {}}}", mode, text.substr(2))), diagnostics);
      EXPECT_TRUE(diagnostics.sorted().empty()) << name;
    }
}

TEST(Assumptions, SettingsWithoutEffectAreOneWarning)
{
  Diagnostics diagnostics;
  read(one_gpu("V100-SXM2-16GB",
               ", training: {mode: all_reduce, servers: 2, update_rule: sync, fusion: none, staleness: 1}"),
       diagnostics);
  ASSERT_EQ(diagnostics.sorted().size(), 1U);
  EXPECT_EQ(diagnostics.sorted().front().message,
            "'servers' has no effect with mode all_reduce, nor have 'update_rule', 'staleness'");
  // Of a mode that does not exist nobody knows the settings.
  Diagnostics unknown;
  read(one_gpu("V100-SXM2-16GB", ", training: {mode: horovod, servers: 2}"), unknown);
  ASSERT_EQ(unknown.sorted().size(), 1U);
  EXPECT_THAT(unknown.sorted().front().message, HasSubstr("unknown mode 'horovod'"));
}

TEST(Assumptions, RdmaAtTcpIsNotUnderItsWindows)
{
  const auto warnings = [](const std::string& link, const std::string& fidelity, const std::string& more = "") {
    Diagnostics diagnostics;
    const std::string text = fmt::format(
        "cluster:\n  node_types: {{box: {{gpu: V100-SXM2-16GB, gpus: 8}}}}\n  nodes: [{{name: n, type: box, count: "
        "2}}]\n  network: {{link: {}}}\njobs: [{{name: a, model: resnet50, workers: 16}}]\nrun: {{fidelity: {}}}\n{}",
        link, fidelity, more);
    check_points(parse_document(text, "test.yaml", diagnostics), diagnostics);
    return diagnostics.sorted().size();
  };
  EXPECT_EQ(warnings("IB-EDR", "tcp"), 1U);
  EXPECT_EQ(warnings("100GbE", "tcp"), 1U);
  EXPECT_EQ(warnings("100GbE", "tcp", "transports: {nccl: {rdma: false}}\n"), 0U);
  EXPECT_EQ(warnings("IB-EDR", "fluid"), 0U);
}

TEST(Assumptions, RdmaAtTcpIsToldOfEveryTransportAndEveryTraining)
{
  const auto warnings = [](const std::string& rest) {
    Diagnostics diagnostics;
    check_points(parse_document("cluster:\n  node_types: {box: {gpu: A100-SXM4-80GB, gpus: 8}}\n"
                                "  nodes: [{name: n, type: box, count: 2}]\n  network: {link: 100GbE}\n"
                                "run: {fidelity: tcp}\n" +
                                    rest,
                                "test.yaml", diagnostics),
                 diagnostics);
    std::string all;
    for (const Diagnostic& one : diagnostics.sorted())
      all += one.message + "\n";
    return all;
  };
  const std::string sockets = "transports: {nccl: {rdma: false}}\n";
  // Two jobs with a transport each.
  const std::string both = warnings("jobs:\n  - {name: a, model: resnet50, workers: 8}\n"
                                    "  - {name: b, model: resnet50, workers: 8, training: {mode: parameter_server, "
                                    "servers: 1, transport: rdma}}\n");
  EXPECT_THAT(both, HasSubstr("messages of 'nccl' and 'rdma' go over RDMA"));
  EXPECT_THAT(both, HasSubstr("write transports: {nccl: {rdma: false}, rdma: {rdma: false}}"));
  // A divided transformer, which names no transport.
  const std::string divided =
      "jobs: [{name: a, model: llama3_8b, workers: 16, training: {parallel: {tp: 8, global_batch: 4}}}]\n";
  EXPECT_THAT(warnings(divided), HasSubstr("messages of 'nccl' go over RDMA"));
  EXPECT_EQ(warnings(divided + sockets), "");
}

TEST(Assumptions, CoresOfServersHaveAnEffectOverGrpc)
{
  // A core moves 0.5 GB/s of gRPC; where a rate is given cores do not count, and a warning says so.
  const auto warnings = [](const std::string& more) {
    Diagnostics diagnostics;
    const std::string text = fmt::format(
        "cluster:\n  node_types:\n    worker: {{gpu: V100-SXM2-16GB}}\n    server: {{cpu_cores: 2}}\n  nodes:\n"
        "    - {{name: w, type: worker}}\n    - {{name: s, type: server}}\njobs:\n  - {{name: a, model: resnet50, "
        "workers: 1, batch_per_gpu: 32, training: {{mode: parameter_server, servers: 1{}}}}}\n",
        more);
    check_points(parse_document(text, "test.yaml", diagnostics), diagnostics);
    return diagnostics.sorted().size();
  };
  EXPECT_EQ(warnings(""), 0U);
  EXPECT_EQ(warnings(", server_rate: 1 GB/s"), 1U);
}

// P100 computes fp16 twice as fast as fp32, by wider vectors: nobody trained in mixed precision there.
TEST(Assumptions, MixedPrecisionNeedsMatrixUnitsAndATrainingFramework)
{
  EXPECT_TRUE(has_matrix_units(catalogue().gpus.at("V100-SXM2-16GB"))); // 125 against 15.7 TFLOP/s
  EXPECT_FALSE(has_matrix_units(catalogue().gpus.at("P100-SXM2")));
  EXPECT_FALSE(has_matrix_units(catalogue().gpus.at("K80")));
  // Ada and Ampere architecture white papers: tensor cores of the fourth and third generation, with bf16. Sums in fp32
  // run at half rate on GeForce and A10G: 165.2 against 82.6 TFLOP/s, 70 against 35.
  for (const char* card : {"RTX-4090", "RTX-3090", "A10G"})
    EXPECT_EQ(job_of(one_gpu(card)).precision, "amp") << card;
  EXPECT_EQ(job_of(one_gpu("P100-SXM2", "", "era: \"2024\"\n")).precision, "fp32");
  EXPECT_EQ(job_of(one_gpu("H100-SXM5", ", training: {mode: one_collective}")).precision, "fp32"); // as nccl-tests
  EXPECT_EQ(job_of(one_gpu("H100-SXM5", ", precision: tf32")).precision, "tf32");
  EXPECT_EQ(job_of(one_gpu("H100-SXM5", ", training: {device: cpu}")).precision, "fp32");
}

// The catalogue's peaks: V100 has fp16 and no bf16, K80 neither; A100 has both.
TEST(Assumptions, APrecisionWithoutUnitsIsAWarning)
{
  const auto warnings = [](const std::string& gpu, const std::string& more) {
    Diagnostics diagnostics;
    read(one_gpu(gpu, more), diagnostics);
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.sorted())
      text += diagnostic.message + "\n";
    return text;
  };
  EXPECT_EQ(warnings("V100-SXM2-16GB", ", precision: bf16"),
            "V100-SXM2-16GB has no units for bf16, so that job 'train' computes at the rate of fp32\n");
  EXPECT_THAT(warnings("K80", ", precision: amp"), HasSubstr("K80 has no units for amp"));
  EXPECT_EQ(warnings("V100-SXM2-16GB", ", precision: amp"), "");
  EXPECT_EQ(warnings("A100-SXM4-40GB", ", precision: bf16"), "");
  EXPECT_EQ(warnings("V100-SXM2-16GB", ", precision: bf16, single_gpu_step: 50 ms"), "");
}

std::vector<std::string> assumed_words(const Scenario& scenario)
{
  return texts_of(assumed(scenario), MessageKind::part);
}

TEST(Assumptions, WhatIsGivenIsNotAssumed)
{
  Diagnostics diagnostics;
  EXPECT_THAT(assumed_words(read(one_gpu("H100-SXM5"), diagnostics)),
              ElementsAre("PyTorch 2.x, eager", "channels_last: false for images", "10 us of the host per operator",
                          "precision amp", "batch 32 per GPU"));
  EXPECT_THAT(assumed_words(read(one_gpu("H100-SXM5", ", precision: bf16, batch_per_gpu: 8, host_per_operator: 6 us",
                                         "framework: {name: pytorch, channels_last: true}\n"),
                                 diagnostics)),
              ElementsAre());
  EXPECT_THAT(assumed_words(
                  read(one_gpu("H100-SXM5", ", single_gpu_step: 50 ms", "framework: {name: pytorch}\n"), diagnostics)),
              ElementsAre("precision amp", "batch 32 per GPU"));
}

// A cluster of one GPU has no room for a second worker; of eight machines seven stay idle.
TEST(Assumptions, OneWorkerOfAWholeClusterIsSaid)
{
  const auto of = [](const std::string& count, const std::string& workers) {
    return assumed_words(tests::checked_points("trainyard: 1\ncluster:\n  node_types: {w: {gpu: T4, gpus: 1}}\n"
                                               "  nodes: [{name: w, type: w, count: " +
                                                   count + "}]\njobs: [{model: vgg16" + workers + "}]\n",
                                               "workers.yaml")
                             .front()
                             .scenario);
  };
  EXPECT_THAT(of("8", ""), Contains("1 worker"));
  EXPECT_THAT(of("8", ", workers: 1"), Not(Contains("1 worker")));
  EXPECT_THAT(of("1", ""), Not(Contains("1 worker")));
}

// Two types of machines, one of which says its network cards: the number that is taken belongs to the other.
TEST(Assumptions, OfOneTypeOfMachineNameIt)
{
  const std::string jobs = "  nodes: [{name: w, type: worker, count: 2}, {name: s, type: server}]\n"
                           "  network: {link: 25GbE}\n"
                           "jobs: [{model: vgg16, workers: 2, training: {mode: parameter_server, servers: 1}}]\n";
  const auto of = [&](const std::string& worker) {
    return assumed_words(tests::checked_points("trainyard: 1\ncluster:\n  node_types: {worker: {gpu: T4, gpus: 1" +
                                                   worker + "}, server: {}}\n" + jobs,
                                               "types.yaml")
                             .front()
                             .scenario);
  };
  EXPECT_THAT(of(", nics: 2"), Contains("network cards per machine: 1 (server)"));
  EXPECT_THAT(of(""), Contains("network cards per machine: 1"));
}

// 683 operators of ResNet-50: three for each of its 174 layers, and one for each of its 161 parameter tensors;
// PyTorch's autocast casts the 55 tensors of its 53 convolutions and its last layer, and their gradients back. A V100
// with a framework of 2019 needs 27.3 ms for them, and PyTorch 2 7.93 ms, so no step is shorter.
TEST(Assumptions, SmallBatchesAreBoundByTheHostAndTheResultNamesIt)
{
  const Dnn resnet = build_dnn("resnet50");
  const double operators = 3 * static_cast<double>(resnet.layers.size()) + resnet.parameter_tensors();
  EXPECT_EQ(operators, 683);
  for (const auto& [gpu, us, casts] :
       {std::tuple{"V100-SXM2-16GB", 40.0, 0}, {"H100-SXM5", 10.0, 2 * 55}, {"B200-SXM", 10.0, 2 * 55}}) {
    const Results results = run(one_gpu(gpu, ", batch_per_gpu: 8, precision: amp"));
    const JobRow& row = results.jobs.front();
    EXPECT_NEAR(row.step_s.mean, (operators + casts) * us * 1e-6, 1e-6) << gpu;
    EXPECT_THAT(row.bottleneck.text,
                StartsWith("host starting operators: 100 % of the step, in which the GPU computes "))
        << gpu;
    EXPECT_GT(row.host.value(), 0) << gpu;
    EXPECT_NEAR((row.compute + row.host + row.exposed_communication + row.input + row.wait).value(), row.step_s.mean,
                1e-9)
        << gpu;
    EXPECT_EQ(row.busiest.front().name, "host, starting operators") << gpu;
    EXPECT_NEAR(row.busiest.front().utilisation, 1, 1e-6) << gpu;
  }
  EXPECT_THAT(run(one_gpu("V100-SXM2-16GB", ", batch_per_gpu: 16")).jobs.front().bottleneck.text,
              StartsWith("GPU compute: 100 %")); // fp32
  // Without the host's time the newer GPU is faster again.
  const auto graphs = [&](const char* gpu) {
    return run(one_gpu(gpu, ", batch_per_gpu: 16", "framework: {name: pytorch, cuda_graphs: true}\n")).jobs.front();
  };
  EXPECT_LT(graphs("H100-SXM5").step_s.mean, 0.8 * graphs("A100-SXM4-80GB").step_s.mean);
  EXPECT_LT(graphs("B200-SXM").step_s.mean, 0.8 * graphs("H100-SXM5").step_s.mean);
  EXPECT_THAT(graphs("B200-SXM").bottleneck.text, StartsWith("GPU compute: 100 %"));
  EXPECT_EQ(graphs("B200-SXM").host.value(), 0);
}

TEST(Assumptions, AStepThatWaitsForAnAssumedHostIsAWarningWithTheKey)
{
  const Results assumed = run(one_gpu("B200-SXM", ", batch_per_gpu: 2"));
  EXPECT_THAT(texts_of(assumed.messages, MessageKind::warning),
              Contains(AllOf(HasSubstr("job 'train': the GPU waits for the host for "),
                             HasSubstr("an assumed 10 us per operator"), HasSubstr("set 'jobs.0.host_per_operator'"))));
  EXPECT_THAT(
      texts_of(run(one_gpu("B200-SXM", ", batch_per_gpu: 2, host_per_operator: 10 us")).messages, MessageKind::warning),
      ElementsAre());
  EXPECT_THAT(texts_of(run(one_gpu("B200-SXM", ", batch_per_gpu: 256")).messages, MessageKind::warning), ElementsAre());
  EXPECT_THAT(texts_of(assumed.messages, MessageKind::error),
              ElementsAre()); // those are jobs that never start, and the run then ends with 3
}

// More samples fill the GPU, but of tables they also touch more rows, which travel between workers.
TEST(Assumptions, ALargerBatchOfTablesIsSaidToSendMoreRows)
{
  const auto notes = [](int workers) {
    return texts_of(
        run(fmt::format("cluster:\n  node_types:\n    worker: {{gpu: V100-SXM2-16GB}}\n  nodes:\n    - {{name: "
                        "worker, type: worker, count: 2}}\n  network: {{link: IB-EDR}}\njobs:\n  - {{name: train, "
                        "model: dlrm_kaggle, batch_per_gpu: 64, workers: {}}}\nrun: {{fidelity: closed_form}}\n",
                        workers))
            .messages,
        MessageKind::warning);
  };
  EXPECT_THAT(notes(1), Contains(AllOf(HasSubstr("larger batch_per_gpu"), Not(HasSubstr("rows of its tables")))));
  EXPECT_THAT(notes(2), Contains(HasSubstr("larger batch_per_gpu, with which more rows of its tables travel")));
}

// Two V100 and two K80 train together: both K80 hold the V100 up at each step. Two V100 alone are faster, and two and
// two with servers that wait for nobody are not held up.
TEST(Assumptions, ASlowKindOfGpuThatHoldsUpOthersIsNamed)
{
  const auto notes = [](const std::string& training) {
    return texts_of(run("cluster:\n  node_types: {v: {gpu: V100-SXM2-16GB, gpus: 2}, k: {gpu: K80, gpus: 2}}\n"
                        "  nodes: [{name: v, type: v}, {name: k, type: k}]\n  network: {link: 100GbE}\n"
                        "jobs:\n  - {name: train, model: resnet50, workers: 4, precision: fp32, training: {" +
                        training + "}}\nrun: {fidelity: closed_form}\n")
                        .messages,
                    MessageKind::warning);
  };
  const std::string told = "job 'train': the K80 computes 5.";
  EXPECT_THAT(notes("mode: all_reduce"),
              Contains(AllOf(HasSubstr(told), HasSubstr("the 2 workers on V100-SXM2-16GB alone would compute"))));
  EXPECT_THAT(notes("mode: parameter_server, servers: 2, update_rule: async"), Not(Contains(HasSubstr(told))));
}

TEST(Assumptions, CurrentMachinesOnTheDefaultNetworkAreAWarningWithTheKey)
{
  const auto warnings = [](const std::string& gpu, const std::string& network) {
    Diagnostics diagnostics;
    read("cluster:\n  node_types:\n    worker: {gpu: " + gpu +
             ", gpus: 8}\n  nodes:\n    - {name: worker, type: worker, count: 4}\n" + network +
             "jobs:\n  - {name: train, model: resnet50, workers: 32}\n",
         diagnostics);
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.sorted())
      text += diagnostic.message + "\n";
    return text;
  };
  EXPECT_THAT(warnings("H100-PCIe", ""),
              HasSubstr("the network is 10GbE, because the scenario names none; machines with H100-PCIe usually have "
                        "a faster one: set 'cluster.network.link'"));
  EXPECT_EQ(warnings("H100-PCIe", "  network: {link: IB-NDR}\n"), "");
  EXPECT_EQ(warnings("H100-SXM5", ""), ""); // their machines come with InfiniBand
  EXPECT_EQ(warnings("H100-PCIe", "  network: {link: 10GbE}\n"), "");
  EXPECT_EQ(warnings("K80", ""), "");
}

TEST(Assumptions, ThePageIsFresh)
{
  EXPECT_EQ(read_text_file(tests::source_folder() / "docs/assumed.md", 8U << 20U),
            assumed_page(scenario_schema_json(registered_parts(), catalogue()), catalogue()))
      << "write it again: build/dev/bin/simrun schema --assumed > docs/assumed.md";
}

// Every key of the table is one that files may hold: a misspelt path would never be said.
TEST(Assumptions, EveryPathOfTheTableIsAKey)
{
  const std::string page = assumed_page(scenario_schema_json(registered_parts(), catalogue()), catalogue());
  for (const Assumption& assumption : assumptions())
    EXPECT_THAT(page, HasSubstr(fmt::format("\n| `{}` | ", assumption.path)));
}

// Parameter servers talk gRPC, collectives NCCL (the training modes' own parameters); the reference says both.
TEST(Assumptions, TheReferenceNamesTheTransportOfEachMode)
{
  const std::string page = scenario_reference(scenario_schema_json(registered_parts(), catalogue()));
  const std::size_t section = page.find("## `jobs[].training`");
  ASSERT_NE(section, std::string::npos);
  const std::size_t row = page.find("\n| `transport` |", section);
  ASSERT_NE(row, std::string::npos);
  EXPECT_THAT(
      page.substr(row, page.find('\n', row + 1) - row),
      HasSubstr("nccl with all_reduce, generic, one_collective; grpc with in_graph, multi_tower, parameter_server"));
}

// Code is what a file may say: pairs of numbers are, words are not.
TEST(Assumptions, TheReferenceShowsWordsAsWords)
{
  const std::string page = scenario_reference(scenario_schema_json(registered_parts(), catalogue()));
  EXPECT_THAT(page, HasSubstr("\n| `dimensions` | text | as equal as possible |"));
  EXPECT_THAT(page, HasSubstr("\n| `shape` | text | `0:0 100:100` |"));
}

// The number is the buffer of each worker, as nccl-tests counts it: not a total.
TEST(Assumptions, TheExchangeOfGenericWorkIsSaidPerWorker)
{
  const Parts parts = registered_parts();
  for (const Part& part : parts.at("training"))
    for (const Parameter& parameter : part.parameters)
      if (parameter.name == "exchange") {
        EXPECT_THAT(parameter.meaning, HasSubstr("each worker"));
        EXPECT_THAT(parameter.meaning, Not(HasSubstr("over all workers")));
      }
}

} // namespace
} // namespace trainyard
