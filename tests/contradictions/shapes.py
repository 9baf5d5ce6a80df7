# SPDX-License-Identifier: Apache-2.0
"""What the schema of scenario files cannot say: kinds of scenarios, what texts refer to, sizes that keep a run short."""

# Kind: weight, its parts, and further ones with their probability.
MORE = {"sweep": 0.12, "run": 0.75}
KINDS = {
    "jobs": (30, ["cluster", "jobs"], {**MORE, "faults": 0.12, "checkpoints": 0.12, "framework": 0.1, "transports": 0.06, "rendezvous": 0.08, "era": 0.03, "storage": 0.05}),
    "divided": (8, ["cluster", "jobs"], {**MORE, "faults": 0.15, "checkpoints": 0.15, "framework": 0.1}),
    "queue": (28, ["cluster", "workload"], {**MORE, "scheduling": 0.95, "faults": 0.25, "slurm": 0.1, "kueue": 0.08, "storage": 0.03}),
    "steps": (6, ["cluster", "jobs", "workload", "scheduling"], {**MORE, "faults": 0.15}),
    "services": (12, ["cluster", "services", "run"], {"sweep": 0.08, "orchestrator": 0.9, "faults": 0.35, "storage": 0.15}),
    "retraining": (10, ["cluster", "task_environment", "run"], {"sweep": 0.08, "scheduling": 0.1}),
    "together": (10, ["cluster", "workload", "run"], {"scheduling": 0.9, "services": 0.6, "orchestrator": 0.5, "task_environment": 0.7, "faults": 0.25, "sweep": 0.05}),
    "graph": (3, ["cluster", "graph"], {"run": 0.3}),
    "gpu_memory": (3, ["cluster", "gpu_memory"], {}),
}
ORDER = ["cluster", "framework", "transports", "jobs", "scheduling", "slurm", "kueue", "workload", "orchestrator", "services", "task_environment", "faults",
         "checkpoints", "rendezvous", "run", "sweep"]

# Probability of an optional key; others by the number of keys beside it.
CHANCES = [
    (r"jobs\.\*\.(name|workers|batch_per_gpu)", 0.8),
    (r"jobs\.\*\.steps", 0.8),
    (r"jobs\.\*\.training", 0.85),
    (r"jobs\.\*\.training\.mode", 0.9),
    (r"jobs\.\*\.training\.(servers|parallel)", 1.0),
    (r"jobs\.\*\.training\.(collective|fusion|update_rule|transport|one_represents_all)", 0.35),
    (r"jobs\.\*\.training\.parallel\.(tp|pp|zero|micro_batch|dp)", 0.5),
    (r"jobs\.\*\.copies", 0.05),
    (r"jobs\.\*\.(priority|user|team|single_gpu_step)", 0.1),
    (r"jobs\.\*\.nodes", 0.12),
    (r"cluster\.network", 0.9),
    (r"cluster\.network\.(link|topology)", 0.6),
    (r"cluster\.network\.(queue|queue_packets|ecn_threshold|burst|burst_bandwidth|congestion_control)", 0.02),
    (r"cluster\.network\.(bandwidth|latency)", 0.2),
    (r"workload\.jobs", 0.75),
    (r"workload\.generate", 0.3),
    (r"workload\.generate\.jobs", 1.0),
    (r"workload\.(measured|estimate_badness|packing)", 0.05),
    (r"workload\.(trace|machines|throughputs|goodput|models|reference_gpu)", 0.0),
    (r"workload\.jobs\.\*\.duration", 1.0),
    (r"workload\.jobs\.\*\.(name|submit|gpus)", 0.8),
    (r"workload\.jobs\.\*\.(estimate|team|user|priority|copies)", 0.25),
    (r"workload\.jobs\.\*\.steps", 0.0),
    (r"scheduling\.(policy|placement)", 0.85),
    (r"scheduling\.(policies|placements|nodes)", 0.06),
    (r"scheduling\.(speed|cluster)", 0.04),
    (r"scheduling\..*", 0.15),
    (r"services\.\*\.(replicas|resources)", 0.8),
    (r"services\.\*\.(kind|work|checkpoint)", 0.5),
    (r"services\.\*\.(update|scale|serving|clients)", 0.1),
    (r"services\.\*\.(cluster_spec|framework|names|constraints|host_ports)", 0.0),
    (r"task_environment\.models\.\*\.(period|train_time|gpus|first)", 0.75),
    (r"task_environment\.(through|duplicates|planner)", 0.35),
    (r"faults\.(list|mtbf)", 0.6),
    (r"run\.fidelity", 0.6),
    (r"run\.until", 0.2),
    (r"run\.(replicas|confidence)", 0.06),
    (r"run\.seed", 0.4),
    (r"sweep\.(grid|variants)", 0.6),
    (r"sweep\.(zip|random|latin_hypercube|constraints)", 0.0),
    (r"graph\.operations\.\*\..*", 0.4),
    (r"gpu_memory\.processes\.\*\..*", 0.4),
    (r"rendezvous\.\*\.(tasks|world_size|time_out)", 0.4),
    (r"checkpoints\.time", 0.5),
    (r"calibration|measured_rates|question", 0.0),
]

# Ranges in base units, where the schema's are too wide for a run of a second. Others: a factor of 4 around default or example.
RANGES = [
    (r"cluster\.node_types\.[^.]+\.(gpus)", (1, 8)),
    (r"cluster\.node_types\.[^.]+\.(nics)", (1, 4)),
    (r"cluster\.nodes\.\*\.(count)", (1, 4)),
    (r"cluster\.nodes\.\*\.per_rack", (1, 4)),
    (r"cluster\..*latency", (1e-7, 2e-3)),
    (r"cluster\..*bandwidth", (1.25e8, 1e11)),
    (r"cluster\.network\.(ports|routers|global_links|groups|k|spines|unit|leaf_ports)", (2, 16)),
    (r"cluster\.network\.(oversubscription)", (1, 8)),
    (r"cluster\.network\.levels", (2, 3)),
    (r"jobs\.\*\.workers", (1, 8)),
    (r"jobs\.\*\.steps", (2, 300)),
    (r"jobs\.\*\.batch_per_gpu", (1, 64)),
    (r"jobs\.\*\.(copies|accumulation_steps)", (1, 3)),
    (r"jobs\.\*\.arrival", (0, 60)),
    (r"jobs\.\*\.single_gpu_step", (1e-3, 1)),
    (r"jobs\.\*\.training\.(servers)", (1, 3)),
    (r"jobs\.\*\.training\.sync_every", (1, 8)),
    (r"jobs\.\*\.training\.(messages_per_step)", (16, 4096)),
    (r"jobs\.\*\.training\..*(rate|bandwidth)", (1e8, 2e10)),
    (r"jobs\.\*\.training\..*_per_GB", (0, 0.5)),
    (r"jobs\.\*\.training\.flop", (1e9, 1e13)),
    (r"jobs\.\*\.training\.(memory_traffic|exchange)", (1e5, 1e9)),
    (r"jobs\.\*\.training\.(bucket_size|first_bucket_size|fusion_threshold)", (1e5, 1e8)),
    (r"jobs\.\*\.training\.(step_overhead|straggler_deviation|collective_start_up|overhead_per_tensor|message_cpu)", (0, 5e-3)),
    (r"jobs\.\*\.training\.parallel\.(tp|pp|dp|cp|ep|vp)", (1, 4)),
    (r"jobs\.\*\.training\.parallel\.micro_batch", (1, 4)),
    (r"jobs\.\*\.training\.parallel\.global_batch", (4, 64)),
    (r"jobs\.\*\.input\.bandwidth", (5e7, 1e10)),
    (r"jobs\.\*\.input\.bytes_per_sample", (1e3, 1e6)),
    (r"jobs\.\*\.input\.preprocess_per_sample", (1e-4, 1e-2)),
    (r"workload\.generate\.jobs", (3, 40)),
    (r"workload\.generate\.(mean_interarrival)", (10, 3600)),
    (r"workload\.generate\.(median_duration)", (60, 20000)),
    (r"workload\.jobs\.\*\.(submit)", (0, 20000)),
    (r"workload\.jobs\.\*\.(duration|estimate)", (60, 40000)),
    (r"workload\.jobs\.\*\.deadline", (600, 80000)),
    (r"workload\.jobs\.\*\.(copies|array_limit)", (1, 4)),
    (r"workload\.jobs\.\*\.(gpus|min_gpus|max_gpus)", (1, 8)),
    (r"workload\.jobs\.\*\.(tasks)", (1, 4)),
    (r"workload\.jobs\.\*\.tasks\.\*\.(count)", (1, 3)),
    (r"workload\.jobs\.\*\.tasks\.\*\.(gpus)", (0, 4)),
    (r"workload\.jobs\.\*\.(tasks\.\*\.)?(cpus)", (1, 8)),
    (r"workload\.jobs\.\*\.(tasks\.\*\.)?(cpu_milli)", (100, 8000)),
    (r"workload\.jobs\.\*\.(tasks\.\*\.)?(memory|gpu_memory)", (1e8, 2e10)),
    (r"workload\.jobs\.\*\.(tasks\.\*\.)?(memory_mib)", (100, 20000)),
    (r"workload\.jobs\.\*\.(weight)", (0.5, 4)),
    (r"workload\.jobs\.\*\.priority|jobs\.\*\.priority|services\.\*\.priority|task_environment\.models\.\*\.priority", (0, 5)),
    (r"workload\.packing\.orders", (1, 4)),
    (r"workload\.packing\.(load|measured_at)", (0.5, 1.5)),
    (r"workload\.estimate_badness", (0, 3)),
    (r"workload\.measured\.(from|until)", (0, 20000)),
    (r"workload\.measured\.(from_job)", (0, 2)),
    (r"workload\.measured\.(until_job)", (1, 10)),
    (r"scheduling\.(start_cost|checkpoint_cost|restart_cost|checkpoint_stall)", (0, 1800)),
    (r"scheduling\.checkpoint_interval", (60, 20000)),
    (r"scheduling\.policy_period", (60, 3600)),
    (r"scheduling\.(policy|policies\.\*)\.(generations)", (0, 10)),
    (r"scheduling\.(policy|policies\.\*)\.(population)", (2, 12)),
    (r"scheduling\.(policy|policies\.\*)\.(round|slice|lease|interval|period)", (60, 3600)),
    (r"slurm\..*(max_time|duration)", (600, 40000)),
    (r"slurm\..*start", (0, 20000)),
    (r"slurm\..*(gpus).*", (1, 16)),
    (r"kueue\..*(quota|limit)", (0, 16)),
    (r"services\.\*\.(replicas)", (0, 5)),
    (r"services\.(\*\.|\*\.tasks\.\*\.)resources\.gpus", (0, 4)),
    (r"services\..*\.cpu", (0, 8)),
    (r"services\..*\.memory", (1e8, 3e10)),
    (r"services\.\*\.work|services\.\*\.clients\.\*\.work", (60, 40000)),
    (r"services\..*\.(at|from|arrival)", (0, 20000)),
    (r"services\.\*\.checkpoint\.interval", (10, 7200)),
    (r"services\.\*\.checkpoint\.(save|load)", (0, 1000)),
    (r"services\.\*\.checkpoint\.(size)", (1e8, 1e11)),
    (r"services\.\*\.image\.size", (1e7, 1e10)),
    (r"services\.\*\.serving\.(rate|capacity|rate\.\*\.rate)", (1, 500)),
    (r"services\.\*\.serving\.(least|most)", (1, 6)),
    (r"services\.\*\.(backup_workers|least_workers|most_per_node)", (1, 3)),
    (r"orchestrator\..*(delay|detection|start|stop|redeploy|cleanup)", (0, 300)),
    (r"orchestrator\.placements_per_second", (0, 100)),
    (r"task_environment\.models\.\*\.copies", (1, 3)),
    (r"task_environment\.models\.\*\.(period|stale_after)", (3600, 200000)),
    (r"task_environment\.models\.\*\.(train_time|first|time_out|checkpoint_interval)", (60, 40000)),
    (r"task_environment\.models\.\*\.(gpus)", (1, 8)),
    (r"task_environment\.models\.\*\.data", (1e8, 5e11)),
    (r"task_environment\.models\.\*\.(result|checkpoint)", (1e6, 1e10)),
    (r"task_environment\.models\.\*\.(parts)", (1, 10)),
    (r"task_environment\.models\.\*\.(passes)", (1, 5)),
    (r"task_environment\.models\.\*\.(variation)", (0, 0.5)),
    (r"task_environment\..*\.(bandwidth|per_model)", (1e7, 1e10)),
    (r"task_environment\..*\.(period|delay|stop_and_start|planner_period|latency|retry_after)", (0.01, 600)),
    (r"task_environment\.deploy\.(replicas|parallelism)", (1, 6)),
    (r"task_environment\.mean_time_to_failure", (10000, 1000000)),
    (r"task_environment\.(upload\.corruption|messages\.loss)", (0, 0.3)),
    (r"task_environment\.faults\.\*\.(need|attempt)", (1, 2)),
    (r"faults\..*(mttr|lasts)", (10, 20000)),
    (r"faults\.mtbf\..*|faults\.random\.\*\.mtbf", (20000, 2000000)),
    (r"faults\..*\.(at|until)", (0, 40000)),
    (r"checkpoints\.interval", (10, 7200)),
    (r"checkpoints\.time", (600, 200000)),
    (r"checkpoints\.(save|restart)", (0, 1000)),
    (r"run\.until", (600, 200000)),
    (r"run\.replicas", (1, 3)),
    (r"run\.warm_up_steps", (1, 3)),
    (r"sweep\.replicas", (1, 2)),
    (r"graph\.runs", (1, 50)),
    (r"graph\.operations\.\*\.flop", (1e6, 1e11)),
    (r"graph\.operations\.\*\.output", (4, 1e7)),
    (r"gpu_memory\.processes\.\*\.(start|end)", (0, 600)),
    (r"gpu_memory\.processes\.\*\.demand\.\*\.bytes", (1e8, 2e10)),
    (r"gpu_memory\.processes\.\*\.demand\.\*\.at", (0, 300)),
    (r"rendezvous\..*time_out", (1, 300)),
    (r"storage\.bandwidth", (1e8, 1e10)),
]

MODELS = ["resnet50", "alexnet", "vgg16", "googlenet", "bert_base", "inception_v3", "lenet5", "mobilenet_v2", "resnet152", "transformer_base", "one_tensor"]
WORDS = ["anna", "ben", "train", "faces", "red", "blue", "north", "south", "alpha", "omega", "night", "day", "fast", "slow", "left", "right"]
ODD = ["anna's job", "a b", "x,y", "7", "true", "é", "a-0", "job 1", "a/b", 'say "hi"', "0x10", "a.b", "1e3", "-x", "Ω", "x=1", "null", "a;b"]


def words(g, taken=()):
    """A name that is not taken: mostly a word, sometimes one that readers of tables stumble over."""
    free = [word for word in (ODD if g.chance(0.08) else WORDS) if word not in taken]
    return g.pick(free) if free else f"n{g.random.randrange(10**6)}"


def gpu_types(g):
    return [kind["gpu"] for kind in g.made.get("cluster", {}).get("node_types", {}).values() if kind.get("gpu") and kind.get("gpus", 1) > 0]


def machines(g, with_gpus=False):
    cluster = g.made.get("cluster", {})
    return [f"{group['name']}-{i}" for group in cluster.get("nodes", []) for i in range(group.get("count", 1))
            if not with_gpus or cluster["node_types"][group["type"]].get("gpu")]


def all_gpus(g):
    cluster = g.made["cluster"]
    kinds = cluster["node_types"]
    return sum(group.get("count", 1) * (kinds[group["type"]].get("gpus", 1) if "gpu" in kinds[group["type"]] else 0) for group in cluster["nodes"])


def node_types(g, schema, path, beside):
    usual = [gpu for gpu in ("V100-SXM2-16GB", "A100-SXM4-80GB", "H100-SXM5", "T4", "P100-PCIe", "A100-PCIe-80GB", "K80") if gpu in g.names["gpus"]]
    kinds = {}
    for i in range(g.random.choices([1, 2, 3], [6, 3, 1])[0]):
        gpu = g.pick(usual[1:3] if g.kind == "divided" else usual if g.chance(0.8) else g.names["gpus"])
        start = {"gpu": gpu, "gpus": g.pick([1, 2, 4, 8])} if i == 0 or g.chance(0.6) else {}
        never = () if g.kind != "divided" else ("memory", "cpu_cores")
        kinds[words(g, kinds)] = g.map(schema["additionalProperties"], path + ("*",), never=("gpu", "gpus", *never), start=start)
    return kinds


def node_groups(g, schema, path, beside):
    groups = []
    for kind in beside["node_types"]:
        name = words(g, [group["name"] for group in groups]).replace(" ", "-").replace(";", "-")  # such names are refused
        start = {"name": name, "type": kind, "count": g.pick([1, 1, 2, 2, 3, 4])}
        if groups and g.chance(0.2):
            start["type"] = groups[0]["type"]  # several groups of one type
        groups.append(g.map(schema["items"], path + (0,), never=("name", "type", "count"), start=start))
    return groups


def network(g, schema, path, beside):
    made = g.map(schema, path, never=("switches", "wires", "down", "up", "dimensions"))
    if made.get("topology") == "graph":
        made["switches"] = ["sw"]
        made["wires"] = [{"from": group["name"], "to": "sw"} for group in beside["nodes"]]
    return made


def jobs(g, schema, path, beside):
    made = []
    free = max(1, all_gpus(g))
    for i in range(g.random.choices([1, 2, 3], [7, 2, 1])[0]):
        item = g.map(schema["items"], path + (i,), never=("copies",) if g.kind == "divided" else ())
        if item.get("name") in [other.get("name") for other in made]:
            item.pop("name", None)
        if "workers" in item:
            item["workers"] = min(item["workers"], free)
        made.append(item)
    return made


def model(g, schema, path, beside):
    if g.kind == "divided" and path[0] == "jobs":
        small = [name for name in ("gpt2", "gpt2_xl", "bert_large", "llama3_8b", "llama2_7b", "gpt3_13b") if name in g.names["models"]]
        if g.chance(0.6) or not small:
            return {"name": "transformer", "layers": g.pick([4, 8, 12]), "hidden": g.pick([512, 1024]), "heads": 8, "sequence_length": g.pick([128, 512, 1024])}
        return g.pick(small)
    known = [name for name in MODELS if name in g.names["models"]]
    return g.pick(known if g.chance(0.85) else g.names["models"])


def training(g, schema, path, beside):
    if g.kind == "divided":
        return {"parallel": g.map(schema["properties"]["parallel"], path + ("parallel",))}
    made = g.map(schema, path, never=("parallel",))
    if made.get("collective") or made.get("local_collective"):
        made["collective"] = g.pick(["ring", "tree", "halving_doubling", "hierarchical", "auto", "pairwise"]) if "collective" in made else None
        made = {key: value for key, value in made.items() if value is not None}
    return made


def some(names):
    """A few of the names that @p names gives."""
    def shape(g, schema, path, beside):
        all_ = list(names(g))
        return g.random.sample(all_, g.random.randint(1, len(all_))) if all_ else None
    return shape


def one(names):
    def shape(g, schema, path, beside):
        all_ = list(names(g))
        return g.pick(all_) if all_ else None
    return shape


def gpus(g, schema, path, beside):
    """Of a job in a queue or a training: at most what the cluster has."""
    return min(g.pick([1, 1, 2, 3, 4, 8]), max(1, all_gpus(g)))


def queue_jobs(g, schema, path, beside):
    made = []
    for i in range(g.random.choice([1, 2, 3, 4, 5, 8])):
        job = g.map(schema["items"], path + (i,), never=("after", "name"))
        if g.chance(0.8):
            job["name"] = words(g, [other.get("name") for other in made])
        before = [other["name"] for other in made if "name" in other and "copies" not in other]
        if before and g.chance(0.1):
            job["after"] = [g.pick(before)]
        made.append(job)
    return made


def shares_of_sizes(g, schema, path, beside):
    sizes = g.random.sample([1, 2, 4, 8], g.random.randint(1, 3))
    return {str(min(size, max(1, all_gpus(g)))): round(1 / len(sizes), 3) for size in sizes}


def team_numbers(unit=""):
    def shape(g, schema, path, beside):
        return " ".join(f"{team}={g.random.randint(1, 8)}{unit}" for team in g.random.sample(TEAMS, g.random.randint(1, 3)))
    return shape


TEAMS = ["team-0", "team-1", "team-2"]


def fault(g, schema=None, path=None, beside=None):
    kinds = ["node"] * 5 + ["gpu"] * 2 + ["link"] * 2 + ["rack"]
    kind = g.pick(kinds)
    names = machines(g, with_gpus=kind == "gpu") or machines(g)
    target = {"gpu": f"gpu:{g.pick(names)}/0", "rack": "rack:0"}.get(kind, f"{kind}:{g.pick(names)}")
    at = g.random.choice([0, 60, 600, 3600, 3700, 5000, 12345])
    if g.chance(0.3):
        made = {"fail": target, "at": f"{at} s", "lasts": f"{g.pick([10, 60, 1000, 3600])} s"}
        if kind == "link" and g.chance(0.4):
            made["remaining"] = 0.5
        return made
    return f"{target}@{at}s+{g.pick([10, 60, 1000, 3600])}s"


def faults(g, schema, path, beside):
    if g.chance(0.5):
        return [fault(g) for _ in range(g.random.randint(1, 3))]
    return g.map(next(choice for choice in schema["anyOf"] if "properties" in choice), path)


def services(g, schema, path, beside):
    made = []
    for i in range(g.random.choice([1, 1, 2, 3])):
        item = g.map(schema["items"], path + (i,), never=("name",), start={"name": words(g, [other["name"] for other in made])})
        if "tasks" in item:
            for key in ("replicas", "resources", "containers", "role", "gpu_use", "most_per_node", "holds_state"):
                item.pop(key, None)
        made.append(item)
    return made


def environment_models(g, schema, path, beside):
    made = []
    for i in range(g.random.choice([1, 1, 2, 3])):
        item = g.map(schema["items"], path + (i,), never=("name",), start={"name": words(g, [other["name"] for other in made])})
        item.setdefault("train_time", "10 min")
        item.pop("job", None)
        made.append(item)
    return made


def run_settings(g, schema, path, beside):
    made = g.map(schema, path)
    if g.kind in ("services", "retraining", "together"):
        made.setdefault("until", g.pick(["1 h", "5 h", "30 h", "100 h"]))
    if made.get("fidelity") == "tcp" and g.chance(0.7):
        made["fidelity"] = "fluid"
    return made


def sweep_grid(g, schema, path, beside):
    """One or two values of the scenario, each as it is and otherwise."""
    from generator import number_text  # late: generator imports this file
    from scenario_text import flat
    import re
    leaves = [(where, value) for where, value in flat(g.made) if where[0] not in ("trainyard", "name", "sweep")]
    grid = {}
    for where, value in g.random.sample(leaves, min(len(leaves), 8)):
        name = ".".join(str(part) for part in where)
        if any("." in str(part) for part in where) or len(grid) == 2:
            continue
        if isinstance(value, bool):
            grid[name] = [value, not value]
        elif isinstance(value, (int, float)) and value > 1:
            grid[name] = [value, max(1, value // 2)]
        elif isinstance(value, str) and (found := re.fullmatch(r"([0-9.]+) ([A-Za-z/]+)", value)) and float(found[1]) > 0:
            grid[name] = [value, f"{number_text(float(found[1]) * 2)} {found[2]}"]
    return grid or None


def variants(g, schema, path, beside):
    grid = sweep_grid(g, schema, path, beside) or {}
    return [{"name": "a"}] + [{"name": f"b{i}", "set": {where: values[1]}} for i, (where, values) in enumerate(grid.items())]


def operations(g, schema, path, beside):
    names = []
    made = []
    for i in range(g.random.randint(1, 6)):
        item = {"name": f"op{i}", "type": g.pick(["MatMul", "Conv2D", "Add", "Const", "VariableV2", "Mean", "Relu", "Identity"]),
                "output": f"{g.pick([4, 600, 4000])} kB"}
        if names and item["type"] not in ("Const", "VariableV2"):
            item["inputs"] = g.random.sample(names, min(len(names), 2))
        if g.chance(0.5):
            item["flop"] = f"{g.pick([1, 20, 500])} Mflop"
        if g.chance(0.2):
            item["device"] = "/cpu:0"
        names.append(item["name"])
        made.append(item)
    return made


def graph_tasks(g, schema, path, beside):
    names = machines(g)
    return {"worker": names[:2], "ps": names[-1:]} if g.chance(0.6) else {"worker": names[:1]}


def rendezvous(g, schema, path, beside):
    job = g.pick(g.made["jobs"])
    if "name" not in job or "copies" in job:
        return None
    made = {"job": job["name"], "protocol": "init_process_group"}
    if g.chance(0.5):
        made["tasks"] = [{"rank": g.random.randrange(max(1, job.get("workers", 1))), "join": g.pick(["4 s", "90 s", "never"])}]
    if g.chance(0.3):
        made["time_out"] = g.pick(["10 s", "10 min"])
    return [made]


def queue_names(g):
    return ["batch", "night"]


def labels(g):
    return ["disk=ssd", "zone=a", "gpu=" + (gpu_types(g) or ["none"])[0]]


NOTHING = lambda g, schema, path, beside: None  # noqa: E731
SHAPES = {
    r"cluster\.node_types": node_types,
    r"cluster\.nodes": node_groups,
    r"cluster\.network": network,
    r".*\.pcie": NOTHING,
    r"jobs": jobs,
    r"jobs\.\*\.name": lambda g, *_: words(g),
    r"jobs\.\*\.model|gpu_memory\.processes\.\*\.model": model,
    r"jobs\.\*\.(user|team)|.*\.(user|team)": one(lambda g: TEAMS),
    r"jobs\.\*\.nodes": some(lambda g: machines(g, True)),
    r"jobs\.\*\.training": training,
    r"jobs\.\*\.training\.(transport|local_transport|dense_transport)|graph\.transport": one(lambda g: g.names["transports"]),
    r"jobs\.\*\.training\.server_nodes": some(machines),
    r"jobs\.\*\.training\.client|graph\.client": one(machines),
    r"transports": NOTHING,
    r"framework\.name": one(lambda g: g.names["frameworks"]),
    r"framework\.(version|built_with)": NOTHING,
    r"workload\.jobs": queue_jobs,
    r"workload\.jobs\.\*\.queue": one(queue_names),
    r"workload\.jobs\.\*\.(qos|reservation|model)": NOTHING,
    r"workload\.jobs\.\*\.(tasks\.\*\.)?gpu_type": one(gpu_types),
    r"workload\.jobs\.\*\.gpus|task_environment\.models\.\*\.gpus": gpus,
    r"workload\.jobs\.\*\.(tasks\.\*\.)?(node_selector|any_node_of|tolerations)": some(labels),
    r"workload\.jobs\.\*\.(tasks\.\*\.)?prefers": lambda g, *_: {g.pick(labels(g)): 50},
    r"workload\.generate\.gpus": shares_of_sizes,
    r"scheduling\.(policy|policies\.\*)\.(label|endpoint|runs)|scheduling\.(placement|placements\.\*)\.(label|shape)|.*\.label": NOTHING,
    r"scheduling\.(policy|policies\.\*)\.limits": lambda g, *_: g.pick(["600 3000", "3250 7200"]),
    r"scheduling\.(policy|policies\.\*)\.(quotas|borrowing_limits|shares|weights|capabilities|guarantees|cpu_capabilities|cpu_guarantees|deserved|cpu_deserved)": team_numbers(),
    r"scheduling\.(policy|policies\.\*)\.memory_(capabilities|guarantees|deserved)": team_numbers("0GiB"),
    r"scheduling\.(policy|policies\.\*)\.cohorts": lambda g, *_: "+".join(TEAMS[:2]),
    r"scheduling\.nodes\.\*\.nodes": one(lambda g: [group["name"] for group in g.made["cluster"]["nodes"]]),
    r"scheduling\.nodes\.\*\.labels": some(labels),
    r"scheduling\.nodes\.\*\.taints": some(lambda g: ["zone=a:NoSchedule", "disk=ssd:PreferNoSchedule"]),
    r"slurm\.partitions\.\*\.name": one(queue_names),
    r"slurm\.(qos|partitions)\.\*\.(qos|preempts)": NOTHING,
    r"(slurm|kueue)\.(partitions|reservations|flavors)\.\*\.nodes": some(lambda g: [group["name"] for group in g.made["cluster"]["nodes"]]),
    r"slurm\.(qos|reservations)\.\*\.name": lambda g, *_: words(g),
    r"slurm\.associations\.\*\.account|slurm\.reservations\.\*\.accounts\.\*|slurm\.reservations\.\*\.users\.\*|kueue\.cluster_queues\.\*\.name": one(lambda g: TEAMS),
    r"slurm\.associations\.\*\.(parent)|kueue\.cohorts\.\*\.parent": NOTHING,
    r"kueue\.flavors": lambda g, *_: [{"name": "any"}],
    r"kueue\.cluster_queues": lambda g, schema, path, beside: [g.map(schema["items"], path + (i,), start={"name": team, "quotas": [{"flavor": "any", "nominal_quota": g.random.randint(1, 8)}]}) for i, team in enumerate(TEAMS)],
    r"kueue\.(cohorts)\.\*\.name|kueue\..*\.cohort": one(lambda g: ["all"]),
    r"kueue\..*\.flavor": one(lambda g: ["any"]),
    r"faults": faults,
    r"faults\.(list|also)\.\*": fault,
    r"faults\.random\.\*\.group": one(lambda g: [group["name"] for group in g.made["cluster"]["nodes"]]),
    r"services": services,
    r"services\.\*\.job|services\..*\.(role|gpu_type)": NOTHING,
    r"services\.\*\.image\.name": one(lambda g: ["base", "torch"]),
    r"services\.\*\.runtime(\.name)?": one(lambda g: ["bare", "container", "vm"]),
    r"services\.\*\.cluster": NOTHING,
    r"faults\.random\.\*\.kind": one(lambda g: ["node", "gpu", "rack", "link", "switch"]),
    r"orchestrator\.(version|team_nodes|nodes|gpu_resource)": NOTHING,
    r"task_environment\.models": environment_models,
    r"task_environment\.faults\.\*\.model": one(lambda g: [model_["name"] for model_ in g.made.get("task_environment", {}).get("models", [])]),
    r"run": run_settings,
    r"sweep\.grid": sweep_grid,
    r"sweep\.variants": variants,
    r"graph\.tasks": graph_tasks,
    r"graph\.(master)": NOTHING,
    r"graph\.operations": operations,
    r"gpu_memory\.node": one(lambda g: machines(g, True)),
    r"gpu_memory\.processes\.\*\.name": lambda g, *_: words(g) + str(g.random.randrange(1000)),
    r"gpu_memory\.processes\.\*\.visible": lambda g, *_: [0],
    r"rendezvous": rendezvous,
}


ONE_OF = [("policy", "policies"), ("placement", "placements"), ("cpus", "cpu_milli"), ("memory", "memory_mib"), ("gpu_share", "gpu_milli"), ("lasts", "until"),
          ("demand", "model"), ("jobs", "generate")]
NEEDS = [("checkpoint_stall", "checkpoint_interval"), ("min_dp", "elastic"), ("shape", "distribution"), ("borrowing_limit", "cohort"), ("lending_limit", "cohort"),
         ("host_bandwidth", "offload_optimizer"), ("copy", "background")]
EQUAL_TASKS = ("slurm", "elastic", "gavel", "allox", "pollux", "optimus", "sia", "batsim")  # policies that start no others
NOT_DIVIDED = ("batch_per_gpu", "input", "memory_policy", "memory_fraction", "stragglers", "jitter", "single_gpu_step", "optimizer", "accumulation_steps", "precision", "workers")


def maps(value):
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from maps(inner)


def divided(g, job):
    for key in NOT_DIVIDED:
        job.pop(key, None)
    how = job.setdefault("training", {}).setdefault("parallel", {})
    for key in ("layers_per_stage", "host_bandwidth", "shard_within", "recompute_modules", "mtp_layers", "low_precision_storage", "fused_elementwise", "schedule",
                *(key for key in how if "expert" in key or key in ("ep", "vp", "cp"))):
        how.pop(key, None)
    gpus_ = all_gpus(g)
    how["tp"] = g.pick([n for n in (1, 2, 4) if n <= gpus_])
    how["pp"] = g.pick([n for n in (1, 2, 4) if n * how["tp"] <= gpus_])
    how["dp"] = g.pick([n for n in (1, 2, 4) if n * how["tp"] * how["pp"] <= gpus_])
    how["global_batch"] = how["dp"] * how.get("micro_batch", 1) * g.pick([1, 2, 4])


def unlike_tasks(g, workload, scheduling):
    """Lists of tasks stand alone, and go where a policy takes them."""
    policies = str(scheduling.get("policy")) + str(scheduling.get("policies"))
    equal = "packing" in workload or any(name in policies for name in EQUAL_TASKS)
    for job in workload.get("jobs", []):
        if not isinstance(job.get("tasks"), list):
            continue
        for key in ("gpus", "min_gpus", "max_gpus", "gpu_share", "gpu_milli", "distinct_nodes"):
            job.pop(key, None)
        for task in job["tasks"]:
            task.pop("gpu_type", None)
        if equal:
            job["tasks"] = 1


def mend(g):
    """What only two keys together can get wrong."""
    made = g.made
    for one in maps({key: part for key, part in made.items() if key != "sweep"}):
        for pair in ONE_OF:
            if all(key in one for key in pair):
                one.pop(g.pick(pair))
        for key, other in NEEDS:
            if other not in one:
                one.pop(key, None)
        if "gpu_share" in one or "gpu_milli" in one:
            one["gpus"] = 1
            for key in ("tasks", "min_gpus", "max_gpus"):
                one.pop(key, None)
        if "gpus" in one and ("min_gpus" in one or "max_gpus" in one):
            if "min_gpus" in one:
                one["min_gpus"] = min(one["min_gpus"], one["gpus"])
            if "max_gpus" in one:
                one["max_gpus"] = max(one["max_gpus"], one["gpus"])
        if "tasks" in one and isinstance(one["tasks"], int):
            one["tasks"] = g.pick([n for n in (1, 2, 4) if one.get("gpus", 1) % n == 0])
        if one.get("name") == "wait" and "limit" not in one:
            one["limit"] = "10 min"
    if not ({"grid", "variants"} & set(made.get("sweep", {}))):
        made.pop("sweep", None)
    scheduling = made.get("scheduling", {})
    scheduling.pop("storage", None)
    for part in ("slurm", "kueue"):
        if part in made:
            scheduling = made.setdefault("scheduling", scheduling)
            scheduling["policy"] = part
            scheduling.pop("policies", None)
    policy = scheduling.get("policy")
    if "batsim" in str(policy) or "batsim" in str(scheduling.get("policies")):
        scheduling["policy"] = "fifo"
        scheduling.pop("policies", None)
    if "workload" in made and not ({"jobs", "generate"} & set(made["workload"])):
        made["workload"]["generate"] = {"jobs": 10}
    if g.kind in ("together", "steps"):
        made.get("workload", {}).pop("packing", None)
    unlike_tasks(g, made.get("workload", {}), scheduling)
    if g.kind == "steps":
        scheduling["speed"] = "step"
        scheduling.pop("policies", None)
        for job in made["jobs"]:
            if job.pop("copies", None) or "name" not in job:
                job["name"] = words(g, [other.get("name") for other in made["jobs"]])
        names = [job["name"] for job in made["jobs"]]
        kinds = set(gpu_types(g))
        if len(kinds) > 1:
            made["workload"]["reference_gpu"] = sorted(kinds)[0]
        for job in made["workload"].get("jobs", []):
            job["model"] = g.pick(names)
        if "generate" in made["workload"]:
            made["workload"]["models"] = {name: 1 for name in names}
    for job in made.get("jobs", []):
        training_ = job.get("training", {})
        if g.kind == "divided":
            divided(g, job)
        elif training_.get("mode") == "generic":
            job["model"] = "generic"
        elif training_.get("mode") in ("in_graph", "multi_tower"):
            training_["update_rule"] = "sync"
        if job.get("precision") in ("fp8", "mxfp8", "nvfp4"):
            job.pop("precision")
    if g.kind in ("jobs", "divided") and ("faults" in made or "checkpoints" in made):
        made["jobs"] = made["jobs"][:1]
        made["jobs"][0].pop("copies", None)
        if "faults" not in made:
            made["checkpoints"].setdefault("interval", "10 min")
    if isinstance(made.get("faults"), dict):
        strange = ("manager", "object_store", "storage", *(() if g.kind in ("services", "together") else ("process",)))
        for kind in strange:
            made["faults"].get("mtbf", {}).pop(kind, None)
        rules = [rule for rule in made["faults"].get("random", []) if rule.get("kind") not in strange]
        made["faults"].pop("random", None)
        if rules:
            made["faults"]["random"] = rules
        if not any(key not in ("mttr",) for key in made["faults"].get("mtbf", {})):
            made["faults"].pop("mtbf", None)
        if not made["faults"]:
            made.pop("faults")
    for service in made.get("services", []):
        kind = service.get("kind", "service")
        if kind in ("training", "generic", "mpi", "load") and "clients" not in service:
            service.setdefault("work", "1 h")
        elif "clients" in service:
            service.pop("work", None)
        if kind == "serving":
            service.setdefault("serving", {"rate": 100, "capacity": 60})
        if ("size" in service.get("checkpoint", {})) != ("bandwidth" in service.get("checkpoint", {})):
            service["checkpoint"].update({"size": "4 GB", "bandwidth": "1 GB/s"})
        if service.get("resources", {}).get("gpus"):
            service.pop("gpu_use", None)
    environment = made.get("task_environment")
    if environment:
        if g.kind == "retraining":
            environment.pop("through", None)
            made.pop("scheduling", None)
        else:
            environment.pop("cluster", None)
        if environment.get("through") != "queue":
            for model_ in environment["models"]:
                model_.pop("team", None)
    if "services" not in made:
        made.pop("orchestrator", None)
    if g.kind != "services" and not (g.kind == "together" and "services" in made):
        made.pop("storage", None)
