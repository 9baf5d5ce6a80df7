// SPDX-License-Identifier: Apache-2.0
/// Compose files and Swarm stacks: own small ones, in the shape of those of the container article.
#include "tests/import/import_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::check_errors;
using tests::find_entry;
using tests::import_texts;
using tests::lines_of;

constexpr const char* ps_worker = R"(version: '2'
services:
  worker-0:
    image: example/tf
    restart: always
    container_name: tf-worker0
    command:
      - --cluster_spec=worker|tf-worker0:2222;tf-worker1:2222,ps|tf-ps0:2222
      - --job_name=worker
      - --task_id=0
    labels: [aliyun.gpu=1, 'com.docker.swarm.reschedule-policies=["on-node-failure"]']
  worker-1:
    image: example/tf
    restart: always
    container_name: tf-worker1
    command: --cluster_spec=worker|tf-worker0:2222;tf-worker1:2222,ps|tf-ps0:2222 --job_name=worker --task_id=1 --batch_size=64
    labels: {aliyun.gpu: "1"}
  ps-0:
    container_name: tf-ps0
    restart: always
    command: [--cluster_spec=worker|tf-worker0:2222;tf-worker1:2222,ps|tf-ps0:2222, --job_name=ps, --task_id=0]
)";

TEST(ImportCompose, FindsOneJobWithItsParameterServerWorkersAndGpus)
{
  const ImportResult result = import_texts({{"c.yml", ps_worker}});
  ASSERT_EQ(result.draft.jobs.size(), 1U);
  const DraftJob& job = result.draft.jobs.front();
  EXPECT_EQ(job.name, "tf");
  EXPECT_EQ(job.workers, 2);
  EXPECT_EQ(job.servers, 1);
  EXPECT_FALSE(job.on_cpu);
  EXPECT_THAT(lines_of(find_entry(result.report.understood(), "1 GPU per task")), ElementsAre(11, 17));
  EXPECT_THAT(lines_of(find_entry(result.report.understood(), "reschedule policy")), ElementsAre(11));
  EXPECT_THAT(lines_of(find_entry(result.report.understood(), "restart: always")), ElementsAre(5, 14, 20));
  EXPECT_THAT(lines_of(find_entry(result.report.assumed(), "synchronous updates")), ElementsAre(8));
  EXPECT_THAT(lines_of(find_entry(result.report.ignored(), "image")), ElementsAre(4, 13));
  EXPECT_NE(find_entry(result.report.understood(), "port 2222"), nullptr);
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportCompose, SaysWhenTheClusterSpecsOfTheTasksDiffer)
{
  std::string text = ps_worker;
  text.replace(text.rfind("tf-worker1:2222"), 15, "tf-worker1:2223");
  const ImportResult result = import_texts({{"c.yml", text}});
  ASSERT_TRUE(result.report.faults.has_errors());
  EXPECT_THAT(result.report.faults.sorted().front().message,
              HasSubstr("the cluster_spec of service 'ps-0' differs from that of 'worker-0'"));
  EXPECT_EQ(result.report.faults.sorted().front().where.line, 18);
}

TEST(ImportCompose, CountsTasksOfTheClusterSpecThatTheFileLacks)
{
  const ImportResult result = import_texts({{"c.yml", R"(version: '2'
services:
  w:
    command: --cluster_spec=worker|w:1;v:1 --job_name=worker
)"}});
  ASSERT_TRUE(result.report.faults.has_errors());
  EXPECT_THAT(result.report.faults.sorted().front().message,
              HasSubstr("lists 2 tasks of role 'worker', the file has 1"));
}

TEST(ImportCompose, ReadsAsyncFlagBatchAndModel)
{
  const ImportResult result = import_texts({{"c.yml", R"(version: '2'
services:
  w:
    image: example/resnet101:1
    command: python train.py --worker_hosts=w:1,x:1 --ps_hosts=p:1 --job_name=worker --sync_replicas=false --batch_size=16
    labels: [aliyun.gpu=2]
  x:
    command: python train.py --worker_hosts=w:1,x:1 --ps_hosts=p:1 --job_name=worker
    labels: [aliyun.gpu=2]
  p:
    command: python train.py --worker_hosts=w:1,x:1 --ps_hosts=p:1 --job_name=ps
)"}});
  ASSERT_EQ(result.draft.jobs.size(), 1U);
  EXPECT_EQ(result.draft.jobs[0].workers, 4);
  EXPECT_EQ(result.draft.jobs[0].batch_per_gpu, 16);
  EXPECT_EQ(result.draft.jobs[0].model, "resnet101");
  EXPECT_THAT(result.draft.jobs[0].training, HasSubstr("async"));
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportCompose, MergesYamlAnchorsAndReadsPortsOfTheHost)
{
  const ImportResult result = import_texts({{"c.yml", R"(version: '2.4'
x-common: &common
  restart: on-failure:3
services:
  web:
    <<: *common
    ports: ["8080:80", "127.0.0.1:9090:90", "70"]
    mem_limit: 512m
    cpus: 1.5
)"}});
  ASSERT_EQ(result.draft.services.size(), 1U);
  const DraftService& web = result.draft.services[0];
  EXPECT_EQ(web.restart, "on_failure");
  EXPECT_EQ(web.attempts, 3);
  EXPECT_THAT(web.tasks[0].host_ports, ElementsAre(8080, 9090));
  EXPECT_DOUBLE_EQ(web.tasks[0].cpu, 1.5);
  EXPECT_DOUBLE_EQ(web.tasks[0].memory_bytes, 512.0 * 1048576);
}

TEST(ImportStack, ReadsReplicasUpdatesRestartsAndGenericResources)
{
  const ImportResult result = import_texts({{"s.yml", R"(version: "3.5"
services:
  worker:
    image: example/train
    deploy:
      replicas: 3
      update_config: {parallelism: 2, delay: 1m30s, order: start-first}
      restart_policy: {condition: on-failure, delay: 5s, max_attempts: 3}
      placement: {constraints: [node.role == worker]}
      resources:
        reservations:
          generic_resources:
            - discrete_resource_spec: {kind: NVIDIA-GPU, value: 2}
  ps:
    image: example/train
    deploy: {replicas: 2}
)"}});
  ASSERT_EQ(result.draft.jobs.size(), 1U);
  EXPECT_EQ(result.draft.jobs[0].workers, 6);
  EXPECT_EQ(result.draft.jobs[0].servers, 2);
  ASSERT_EQ(result.draft.services.size(), 1U);
  const DraftService& service = result.draft.services[0];
  EXPECT_EQ(service.restart, "on_failure");
  EXPECT_EQ(service.delay, "5 s");
  EXPECT_EQ(service.update_delay, "90 s");
  EXPECT_EQ(service.update_order, "start_first");
  EXPECT_THAT(service.tasks.back().constraints, ElementsAre("node.role == worker"));
  EXPECT_EQ(check_errors(result), "");
}

// Docker's manual, "docker service create --mode": the tasks of a job run to their ends.
TEST(ImportStack, TasksOfAJobEndWithTheirCommand)
{
  const auto job = [](const std::string& command) {
    return import_texts({{"s.yml", "services:\n  job:\n    image: z\n    command: " + command +
                                       "\n    deploy: {mode: replicated-job, replicas: 5}\n"}});
  };
  const ImportResult sleeps = job("sleep 30");
  const DraftService& service = sleeps.draft.services.at(0);
  EXPECT_EQ(std::tuple(service.kind, service.work_s, service.restart), std::tuple("generic", 30, "on_failure"));
  EXPECT_EQ(sleeps.draft.queue_jobs.at(0).duration_s, 30);
  EXPECT_EQ(check_errors(sleeps), "");
  const ImportResult works = job("./work");
  EXPECT_EQ(works.draft.services.at(0).work_s, 3600);
  EXPECT_NE(find_entry(works.report.assumed(), "job job runs for"), nullptr);
}

// `docker compose config --format json` prints the same file.
TEST(ImportCompose, JsonIsReadAsYaml)
{
  const std::string service = R"("image": "pytorch/pytorch:2.2.0", "command": ["torchrun", "--nproc-per-node=4",
    "train.py", "--model", "resnet50"], )";
  const ImportResult stack = import_texts(
      {{"c.json", R"({"name": "p", "services": {"w": {)" + service + R"("deploy": {"replicas": 3, "resources":
        {"reservations": {"devices": [{"driver": "nvidia", "count": 4, "capabilities": ["gpu"]}]}}}}}})"}});
  EXPECT_EQ(stack.draft.jobs.at(0).workers, 12);
  const ImportResult compose = import_texts({{"c.json", R"({"services": {"w": {)" + service + R"("gpus": "all"}}})"}});
  EXPECT_EQ(compose.draft.jobs.at(0).workers, 4);
}

TEST(ImportCompose, ReplicasBeyondAnyClusterAreAnError)
{
  const auto faults = [](const std::string& text) {
    std::string all;
    for (const Diagnostic& fault : import_texts({{"c.yml", text}}).report.faults.sorted())
      all += format(fault);
    return all;
  };
  EXPECT_THAT(
      faults("version: '3'\nservices:\n  web:\n    image: a\n    deploy:\n      replicas: 1000000000\n"),
      HasSubstr("c.yml:6: error: '1000000000' is not a number of replicas: write a whole number from 0 to 100000"));
  EXPECT_THAT(faults("version: '2'\nservices:\n  web: {image: a, scale: -1}\n"),
              HasSubstr("'-1' is not a number of replicas"));
}

// Whatever the flags are called: their values are lists of the file's services, and the names say the roles.
TEST(ImportCompose, FindsTheTrainingByHostsThatAreServicesOfTheFile)
{
  const char* flags = R"(services:
  ps0:
    command: train.py --job ps --workers "worker0:1,worker1:1" --ps "ps0:1"
  worker0:
    command: train.py --job worker --workers "worker0:1,worker1:1" --ps "ps0:1" --index 0 --batch_size=64 --lr 0.1
  worker1:
    command: train.py --job worker --workers "worker0:1,worker1:1" --ps "ps0:1" --index 1 --batch_size=64 --lr 0.1
)";
  const char* config = R"(services:
  a:
    environment: ['TF_CONFIG={"cluster": {"worker": ["a:1", "b:1"], "ps": ["c:1"]}, "task": {"type": "worker", "index": 0}}']
  b:
    environment: ['TF_CONFIG={"cluster": {"worker": ["a:1", "b:1"], "ps": ["c:1"]}, "task": {"type": "worker", "index": 1}}']
  c:
    environment: ['TF_CONFIG={"cluster": {"worker": ["a:1", "b:1"], "ps": ["c:1"]}, "task": {"type": "ps", "index": 0}}']
)";
  for (const char* text : {flags, config}) {
    const ImportResult result = import_texts({{"c.yml", text}});
    ASSERT_EQ(result.draft.jobs.size(), 1U) << text;
    EXPECT_EQ(result.draft.jobs[0].workers, 2);
    EXPECT_EQ(result.draft.jobs[0].servers, 1);
    EXPECT_THAT(result.draft.jobs[0].training, HasSubstr("worker_processes: gpu")); // a container is a process
    EXPECT_EQ(check_errors(result), "");
  }
  const ImportResult result = import_texts({{"c.yml", flags}});
  EXPECT_EQ(result.draft.jobs[0].batch_per_gpu, 64); // of a worker, though a server stands first
  EXPECT_NE(find_entry(result.report.ignored(), "flag --lr"), nullptr);
}

TEST(ImportCompose, SaysThatACommandIsNotReadAndDoesNotTrainAgainForEver)
{
  const ImportResult plain = import_texts({{"c.yml", "services:\n  a:\n    image: x\n    command: serve --port 80\n"}});
  EXPECT_NE(find_entry(plain.report.ignored(), "command of a"), nullptr);
  const ImportResult training = import_texts({{"c.yml", ps_worker}});
  EXPECT_EQ(training.draft.services[0].restart, "on_failure");
}

// Two containers with a GPU each on the one machine that is asked for: it has two GPUs.
TEST(ImportCompose, MachinesThatTheOptionsNumberHoldAllTasks)
{
  const ImportResult result = import_texts({{"c.yml", ps_worker}}, {.gpu = "M40", .nodes = 1});
  ASSERT_EQ(result.draft.machines.size(), 1U);
  EXPECT_EQ(result.draft.machines[0].gpus, 2);
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportCompose, TheTagOfAnImageSaysTheVersionOfTheFramework)
{
  std::string text = ps_worker;
  for (std::size_t at = text.find("example/tf"); at != std::string::npos; at = text.find("example/tf", at + 1))
    text.replace(at, 10, "tensorflow/tensorflow:0.12.0-gpu");
  const ImportResult result = import_texts({{"c.yml", text}});
  EXPECT_THAT(result.yaml, HasSubstr("\nframework: {name: tensorflow, version: \"0.12\"}\n"));
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportCompose, AListingWithoutIndentationGetsOneSentence)
{
  const ImportResult result = import_texts({{"c.yml", "version: '2'\nservices:\nps:\nimage: a\nworker:\nimage: a\n"}});
  ASSERT_EQ(result.report.faults.errors(), 1);
  EXPECT_THAT(result.report.faults.sorted().front().message, HasSubstr("has lost the blanks"));
  EXPECT_EQ(result.report.faults.sorted().front().where.line, 3);
}

// TensorFlow's own image of a server has its version for a tag.
TEST(ImportCompose, ServersOfTensorFlowTellTheirVersion)
{
  std::string text = ps_worker;
  for (std::size_t at = text.find("example/tf"); at != std::string::npos; at = text.find("example/tf", at + 1))
    text.replace(at, 10, "example/tf_grpc_server:0.12.0-gpu");
  const ImportResult result = import_texts({{"c.yml", text}});
  EXPECT_THAT(result.yaml, HasSubstr("\nframework: {name: tensorflow, version: \"0.12\"}\n"));
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportCompose, MachinesHaveTheGpusThatTheOptionsSay)
{
  // Two tasks of a GPU: on one machine of two, on two machines that are asked for, on two machines of one each.
  const auto machines = [](int nodes, int gpus) {
    const ImportResult result =
        import_texts({{"c.yml", ps_worker}}, {.gpu = "M40", .nodes = nodes, .gpus_per_node = gpus});
    EXPECT_EQ(check_errors(result), "");
    EXPECT_EQ(result.draft.machines.size(), 1U);
    return std::pair{result.draft.machines.front().count, result.draft.machines.front().gpus};
  };
  EXPECT_EQ(machines(0, 2), std::pair(1, 2));
  EXPECT_EQ(machines(2, 2), std::pair(2, 2));
  EXPECT_EQ(machines(0, 1), std::pair(2, 1));
}

constexpr const char* client = R"(version: '2'
labels: {aliyun.project_type: "batch"}
services:
  fit:
    image: example/linear_regression:1.0
)";

// Whichever file stands first: the servers never end, the client's steps are those of the job.
TEST(ImportCompose, ABatchContainerIsTheClientOfTheServersBesideIt)
{
  for (const bool first : {false, true}) {
    const ImportResult result = first ? import_texts({{"b.yml", client}, {"c.yml", ps_worker}})
                                      : import_texts({{"c.yml", ps_worker}, {"b.yml", client}});
    ASSERT_EQ(result.draft.services.size(), 1U);
    EXPECT_EQ(result.draft.services[0].clients.size(), 1U);
    EXPECT_EQ(result.draft.jobs[0].model, "linear_regression");
    EXPECT_THAT(result.yaml, HasSubstr("    clients:\n      - {at: 0 s} # fit, b.yml:4\n"));
    EXPECT_THAT(result.yaml, Not(HasSubstr("until")));
    EXPECT_NE(find_entry(result.report.assumed(), "fit gives its work to the servers of tf"), nullptr);
    EXPECT_EQ(check_errors(result), "");
  }
}

TEST(ImportCompose, AClientThatNamesItsServersIsNotAssumed)
{
  std::string text = client;
  text += "    command: fit.py --master=grpc://tf-worker0:2222\n";
  const ImportResult result = import_texts({{"c.yml", ps_worker}, {"b.yml", text}});
  EXPECT_EQ(result.draft.services[0].clients.size(), 1U);
  EXPECT_EQ(find_entry(result.report.assumed(), "gives its work"), nullptr);
}

// Without the label of a batch project, in the file of its servers.
TEST(ImportCompose, AContainerWithASessionOnAServerIsItsClient)
{
  const std::string text = std::string{ps_worker} + "  fit:\n    image: example/fit\n    command: fit.py "
                                                    "grpc://tf-worker1:2222\n  web:\n    image: example/web\n";
  const ImportResult result = import_texts({{"c.yml", text}});
  ASSERT_EQ(result.draft.services.size(), 2U);
  EXPECT_EQ(result.draft.services[0].clients.size(), 1U);
  EXPECT_EQ(result.draft.services[1].name, "web");
}

TEST(ImportCompose, ABatchContainerWithoutServersRunsByItself)
{
  const ImportResult result = import_texts({{"b.yml", client}});
  ASSERT_EQ(result.draft.services.size(), 1U);
  EXPECT_EQ(result.draft.services[0].work_s, 3600);
  EXPECT_EQ(check_errors(result), "");
}

// `deploy` makes a stack, however far the file indents.
TEST(ImportCompose, ReadsDeployAtAnyIndentation)
{
  const ImportResult result = import_texts({{"c.yml", R"(services:
        web:
                image: a
                deploy:
                        replicas: 3
                        resources: {reservations: {devices: [{driver: nvidia, count: 2, capabilities: [gpu]}]}}
)"}});
  ASSERT_EQ(result.draft.services.size(), 1U);
  EXPECT_EQ(result.draft.services[0].tasks[0].replicas, 3);
  EXPECT_EQ(result.draft.services[0].tasks[0].gpus, 2);
}

} // namespace
} // namespace trainyard
