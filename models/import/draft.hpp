// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"
#include "models/import/import_report.hpp"
#include "models/job/batch_rules.hpp"
#include "models/job/kueue_rules.hpp"
#include "models/job/throughput_table.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// `count` equal machines of a draft. Texts are written as in the scenario ("100 Gbit/s").
struct DraftMachines {
  std::string name;
  int count = 1;
  std::string gpu; // of the catalogue; empty: no GPU
  int gpus = 0;
  std::string intra; // "nvswitch", and settings: "nvswitch, generation: 4"
  int nics = 0;      // not said
  std::string nic_bandwidth;
  std::string nic_latency; // of its wire in a free graph; empty: that of the network
  double cpu_cores = 0;    // 0: not known
  double memory_bytes = 0; // 0: not known
  DollarsPerHour price;
  std::string parent; // switch it is plugged into
  std::string role;   // manager, worker; for the orchestrator
  std::map<std::string, std::string> labels;
  std::string note;  // where it comes from
  bool host = false; // one machine under its own name; equal ones become a group

  bool same_kind(const DraftMachines& other) const;
};

struct DraftWire {
  std::string from;
  std::string to;
  std::string bandwidth;
  std::string latency;
  int count = 1;
  std::string note;
};

struct DraftNetwork {
  std::string topology; // empty: star
  std::string link;     // of the catalogue
  std::string bandwidth;
  std::string latency;
  std::vector<std::pair<std::string, std::string>> settings; // of the topology
  std::vector<std::string> switches;
  std::vector<DraftWire> wires;
  std::string note;
};

/// A training job of a draft.
struct DraftJob {
  std::string name;
  std::string model; // "resnet50" or "{name: one_tensor, elements: 1e6}"; empty: assumed
  int batch_per_gpu = 0;
  std::string precision;
  std::string optimizer;     // empty: not said
  int accumulation = 1;      // micro-steps per update; of divided transformers `parallel` says it
  std::string recomputation; // likewise
  int workers = 1;           // GPUs (or CPU workers)
  bool on_cpu = false;
  int servers = 0;      // parameter servers; 0: all-reduce
  std::string training; // further settings of `training`, in flow style without braces: "transport: gloo"
  std::string parallel; // how a transformer is divided, in flow style: "{tp: 8, …}"; then no mode and no batch
  std::string single_gpu_step;
  std::string arrival;
  double steps = 0;
  double priority = 0;
  std::string user;
  std::string team;
  std::string note;
};

/// Equal tasks of a job of the queue that also has others; amounts are of each.
struct DraftTaskGroup {
  std::string role;
  int count = 1;
  int gpus = 0;
  int cpu_milli = 0;
  int memory_mib = 0;
  std::string gpu_type;
  std::vector<std::string> node_selector; // labels key=value
};

/// A job of the queue, which runs for a stated time.
struct DraftQueueJob {
  std::string name;
  double submit_s = 0;
  double duration_s = 0;
  double estimate_s = 0; // 0: the duration
  int gpus = 0;
  int tasks = 0;
  std::vector<DraftTaskGroup> task_list; // tasks that are not equal, instead of their number, CPU and memory
  int gpu_milli = 1000;
  int cpu_milli = 0;
  int memory_mib = 0;
  double priority = 0;
  std::string user;
  std::string team;
  std::string gpu_type;
  std::string after; // names, separated by spaces
  std::string queue;
  std::string qos;
  std::string reservation;
  std::vector<std::string> node_selector; // labels key=value
  int copies = 1;
  int array_limit = 0;            // of them, how many may run at once; 0: all
  bool whole = false;             // it gets whole machines, whatever it asks for
  bool spread = false;            // its tasks lie on as many machines as they need, several on one
  std::vector<std::string> hosts; // machines of a batch system: those that it may go to; of one that runs, each of its
                                  // tasks has one; empty: any
  bool runs = false;
  bool distinct = false; // each task has another machine
  std::string note;
};

/// The rules of a batch system. Until the draft is complete, machines have their own names, and reservations begin in
/// seconds since 1970.
struct DraftBatch {
  std::map<std::string, std::string> policy; // settings of the queue policy, as in a scenario; empty: none are known
  BatchRules rules;
  std::map<std::string, std::vector<std::string>> node_sets; // machines by NodeSet of slurm.conf
  std::map<std::string, std::set<std::string>> features;     // of machines, as Slurm calls them
  std::set<std::string> whole;                               // partitions whose jobs get whole machines; "*": all
  std::set<std::string> out_of_service;                      // machines that take no jobs
  std::map<std::string, ImportPlace> untyped;                // machines whose Gres does not name the type of GPU
  std::string default_partition;                             // of jobs that name none; empty: there is none
  bool has_scripts = false; // jobs that have not run: what Slurm gives and refuses them
                            // stands in the values of partitions ("": the cluster's)
  std::map<std::string, std::map<std::string, std::string>> values;
};

/// Equal tasks of a service.
struct DraftTasks {
  std::string role; // worker, ps; may be empty
  int replicas = 1;
  int gpus = 0;
  double gpu_share = 0; // below 1: a part of one GPU
  std::string gpu_type;
  double cpu = 0;
  double memory_bytes = 0;
  std::vector<int> host_ports;
  int most_per_node = 0; // 0: any number
  std::vector<std::string> constraints;
  std::vector<std::string> names;
  std::string note;
};

/// Something that an orchestrator keeps running.
struct DraftService {
  std::string name;
  std::string kind = "service"; // service, training, mpi, generic, serving
  std::string team;
  double priority = 0;
  std::vector<DraftTasks> tasks;
  std::string coupling; // independent, sync, async, mpi
  std::string job;      // entry of the jobs
  double arrival_s = 0; // when it is submitted
  bool again = false;   // a later run of an earlier service: it needs no machines of its own
  double work_s = 0;    // its work, if there is no job
  /// Containers whose programs give work to its servers, and their places in the files.
  std::vector<std::pair<std::string, std::string>> clients;
  std::string restart;     // never, on_failure, always
  std::string delay;       // of restarts
  int attempts = 0;        // of restarts
  int reschedule = -1;     // 0, 1; -1: the orchestrator's default
  bool standalone = false; // single containers that nobody keeps running
  std::string update_delay;
  int update_parallelism = 0;
  std::string update_order;
  std::string cluster; // training cluster it belongs to
  std::string cluster_spec;
  std::string note;
};

/// A container without GPUs, of a batch project or with a session on a server: the client of servers in some file.
struct DraftClient {
  DraftService service;
  DraftQueueJob job;
  std::string words; // of its image, command and environment
  ImportPlace place;
  bool batch = false; // else it is kept running
};

/// GPUs that the script of a batch system starts its training on; 0 or empty: it does not say.
struct DraftLaunch {
  int gpus = 0, per_node = 0;
  std::string gpu; // of the catalogue
  // What its arguments say where the file of the training leaves it to them:
  std::string model, recomputation, precision;
  int micro_batch = 0, accumulation = 0, sequence = 0;
  double steps = 0;
};

/// What the importers collect; `scenario_yaml` writes it.
struct Draft {
  std::string name;
  std::string question;
  std::vector<DraftMachines> machines;
  DraftNetwork network;
  std::vector<DraftJob> jobs;
  std::vector<DraftQueueJob> queue_jobs;
  std::vector<DraftService> services;
  std::vector<DraftClient> clients; // until all files are read
  std::string orchestrator;         // swarm, kubernetes, slurm, container_service
  std::string orchestrator_note;
  std::string trace_file; // a trace that the scenario names instead of queue jobs
  std::string trace_format;
  std::string machines_file;    // a list of machines that the scenario names instead of its cluster
  bool trace_pool = false;      // only a number of processors is known of its machines
  std::string throughputs_file; // steps per second by GPU type and kind of job
  bool jobs_left_out = false;   // some were read that can never start
  std::shared_ptr<const ThroughputTable> throughputs;
  int processors_per_gpu = 0;
  DraftLaunch launched;
  DraftBatch batch;
  KueueRules kueue;             // without cluster queues: none are known
  std::set<std::string> owners; // accounts of the trace's jobs, and users as ACCOUNT.USER
  double first_submission = -1; // of the jobs, in seconds since 1970; negative: not known
  std::vector<std::pair<std::string, std::string>> scheduling; // key, value in flow style
  std::string scheduling_note;
  std::string framework; // of the jobs, in flow style; empty: not known
  std::string fidelity;
  std::string until;     // of runs with services
  double watched_s = 0;  // how long schedules are followed; 0: no limit of theirs
  double core_flops = 0; // of one CPU core, where a file says it; 0: not known
  double link_Bps = 0;   // of a link between machines, for importers that turn bytes into times
  std::vector<std::pair<std::string, std::string>> grid; // sweep: path, values in flow style
  std::vector<std::string> remarks;                      // further lines for the head of the file

  int gpus() const;
  /// The question of the scenario, where no file before has one.
  void ask(const std::string& what)
  {
    if (question.empty())
      question = what;
  }
};

/// Names, each given once: the second "a" is "a-2".
class UniqueNames
{
public:
  std::string of(const std::string& name);

private:
  std::set<std::string> taken_;
  std::map<std::string, int> next_; // number to try
};

/// The draft as a scenario file, with a comment behind each value that says where it comes from.
std::string scenario_yaml(const Draft& draft, const ImportReport& report);

/// A text as a YAML scalar: in quotes where it would be read as something else.
std::string yaml_text(const std::string& text);

/// A number of bytes as a quantity that reads back to it: "256 GB", "1031000 MiB".
std::string bytes_text(double bytes);
/// Seconds as a quantity.
std::string seconds_text(double seconds);

} // namespace trainyard
