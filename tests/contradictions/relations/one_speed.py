# SPDX-License-Identifier: Apache-2.0
import copy

from comparison import Broken

SAYS = "A job alone, in an empty queue, as a service and as a retraining makes its steps in the same time, at every fidelity."
WEIGHT = 0.5
FIDELITIES = ("closed_form", "fluid", "flow", "step", "tcp")
OF_A_PLACE = ("nodes", "copies", "arrival", "user", "team", "priority", "stragglers")  # or of company


def applies(scenario):
    kinds = {scenario["cluster"]["node_types"][group["type"]].get("gpu") for group in scenario.get("cluster", {}).get("nodes", [])}
    return bool(scenario.get("jobs")) and not {"workload", "sweep", "services", "task_environment"} & set(scenario) and len(kinds) == 1 \
        and scenario["jobs"][0].get("training", {}).get("device") != "cpu" and not scenario["jobs"][0].get("training", {}).get("server_nodes")


def alone(scenario, random):
    """The first job, long enough that its steps go at steady speed."""
    made = {key: scenario[key] for key in ("trainyard", "name", "era", "cluster", "framework", "transports") if key in scenario}
    job = {key: value for key, value in scenario["jobs"][0].items() if key not in OF_A_PLACE}
    job.update(name="train", steps=1000)
    if job.get("training", {}).get("mode") in ("parameter_server", "in_graph"):  # the containers of a service are processes
        job["training"] = {"worker_processes": "machine", **job["training"]}
    run = {key: value for key, value in scenario.get("run", {}).items() if key in ("seed", "warm_up_steps", "confidence")}
    return {**made, "jobs": [job], "run": {**run, "fidelity": random.choice(FIDELITIES), "until": "3000 d"}}


def others(made, workers, servers):
    """The same job as each of the others has it: name, scenario, and where its time is."""
    tasks = [{"role": "worker", "replicas": workers, "resources": {"gpus": 1}}] + ([{"role": "ps", "replicas": servers}] if servers else [])
    yield "in a queue", {**made, "scheduling": {"speed": "step"}, "workload": {"jobs": [{"name": "a", "gpus": workers, "model": "train", "steps": 1000}]}}, \
        ("jobs.csv", "state", "finished", "duration_s", "jct_s")
    yield "as a service", {**made, "orchestrator": "kubernetes", "services": [{"name": "a", "kind": "training", "job": "train", "tasks": tasks}]}, \
        ("services.csv", "state", "finished", "work_done_s", None)
    yield "as a retraining", {**made, "task_environment": {"models": [{"name": "a", "job": "train", "period": "2900 d", "first": "0 s"}]}}, \
        ("requests.csv", "ended", "deployed", None, "train_s")


def check(simrun, scenario, random):
    made = alone(scenario, random)
    first = simrun.run(made)
    if first.status != 0 or not first.table("jobs.csv"):
        return False
    row = first.table("jobs.csv")[0]
    expected, workers = float(row["finish_s"]) - float(row["start_s"]), int(row["workers"])
    packed_alike = len(made["cluster"]["nodes"]) == 1  # else other machines may be the first that fit
    for name, other, (table, column, ended, packed, placed) in others(copy.deepcopy(made), workers, int(row["servers"])):
        run = simrun.run(other)
        if fault := run.breakdown():
            return Broken("breaks", f"{name}: {fault}")
        rows = run.table(table) or [] if run.accepted else []
        for figure in [packed, placed if packed_alike else None]:
            if rows and figure and rows[0][column] == ended and abs(float(rows[0][figure]) - expected) > 3e-9 + 1e-9 * expected:
                return Broken(name, f"at {made['run']['fidelity']} alone {expected} s, {name} {figure} {rows[0][figure]}")
    return None
