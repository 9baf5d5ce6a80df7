# SPDX-License-Identifier: Apache-2.0
"""One task of TensorFlow's parameter servers (tf.compat.v1: servers, replica_device_setter, SyncReplicasOptimizer) whose layers sleep.

Reads jobs from standard input, one JSON object a line. A worker answers each with one line: {"ends": [seconds, …]}, the ends of its steps;
a server answers {"ends": []} as soon as it serves.
"""
import json
import os
import sys
import time

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="0")
import numpy  # noqa: E402
import tensorflow  # noqa: E402

tf = tensorflow.compat.v1
tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.ERROR)
kept = []  # TensorFlow cannot end a server, and a session that the chief closes cancels the last steps of others: both live as long as the process


def sleeping(seconds, after, name):
    """An operation that sleeps once all of `after` are there."""
    def rest():
        time.sleep(seconds)
        return numpy.float32(0)
    with tf.control_dependencies(after):
        return tf.numpy_function(rest, [], tf.float32, name=name)


def graph(job, cluster):
    """The training operation of one worker, its optimiser (None where workers do not wait), and the hooks it needs."""
    worker = f"/job:worker/task:{job['index']}"
    setter = tf.train.replica_device_setter(worker_device=worker, cluster=cluster, 
                                            ps_strategy=Greedy(job["servers"]) if job["placement"] == "greedy" else None)
    with tf.device(setter):
        step = tf.train.get_or_create_global_step()
        layers = [[tf.get_variable(f"l{i}_{j}", [n], initializer=tf.zeros_initializer(), use_resource=job["resource"])
                   for j, n in enumerate(spec["parameters"])] for i, spec in enumerate(job["layers"])]
    slow, pairs = job["slow"], []
    with tf.device(worker):
        done = []
        for i, (spec, variables) in enumerate(zip(job["layers"], layers)):
            values = [tf.identity(v) if not job["resource"] else v.read_value() for v in variables]
            done = [sleeping(spec["forward"] * slow, [*done, *values], f"forward{i}")]
        for i, (spec, variables) in reversed(list(enumerate(zip(job["layers"], layers)))):
            done = [sleeping(spec["backward"] * slow, done, f"backward{i}")]
            for variable, n in zip(variables, spec["parameters"]):
                with tf.control_dependencies(done):
                    pairs.append((tf.fill([n], done[0]), variable))
    optimiser = tf.train.GradientDescentOptimizer(0.1)
    if job["rule"] == "sync":
        optimiser = tf.train.SyncReplicasOptimizer(optimiser, replicas_to_aggregate=job["workers"], total_num_replicas=job["workers"])
    with tf.device(setter):
        train = optimiser.apply_gradients(pairs, global_step=step)
    return train, optimiser


class Greedy:
    """Each variable onto the server with the fewest bytes so far, as tf.contrib's GreedyLoadBalancingStrategy."""

    def __init__(self, servers):
        self.load = [0] * servers

    def __call__(self, operation):
        place = self.load.index(min(self.load))
        self.load[place] += tensorflow.TensorShape(operation.get_attr("shape")).num_elements()
        return place


def session_of(job, target, optimiser, config):
    """A session in which all variables are there: the chief makes them, others wait. (MonitoredTrainingSession looks only every 30 s.)"""
    chief, sync = job["index"] == 0, job["rule"] == "sync"
    missing = tf.report_uninitialized_variables(tf.global_variables())
    make = tf.global_variables_initializer()
    own = optimiser.chief_init_op if sync and chief else optimiser.local_step_init_op if sync else tf.no_op()
    tokens = optimiser.get_init_tokens_op() if sync and chief else tf.no_op()
    runner = optimiser.get_chief_queue_runner() if sync and chief else None
    config.device_filters.extend(["/job:ps", f"/job:worker/task:{job['index']}"])
    session = tf.Session(target, config=config)
    if chief:
        session.run(make)
    while len(session.run(missing)) > 0:
        time.sleep(0.2)
    session.run(own)
    if runner is not None:
        runner.create_threads(session, daemon=True, start=True)
        session.run(tokens)
    return session


def main():
    for line in sys.stdin:
        job = json.loads(line)
        cluster = tf.train.ClusterSpec(job["cluster"])
        config = tf.ConfigProto(inter_op_parallelism_threads=8, intra_op_parallelism_threads=1)
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        kept.append(tf.train.Server(cluster, job_name=job["role"], task_index=job["index"], config=config))
        ends = []
        if job["role"] == "worker":
            with tf.Graph().as_default():
                train, optimiser = graph(job, cluster)
                session = session_of(job, kept[-1].target, optimiser, config)
                kept.append(session)
                print("ready", flush=True)
                sys.stdin.readline()
                time.sleep(job["delay"])
                for _ in range(job["steps"]):
                    session.run(train)
                    ends.append(time.time())
        print(json.dumps({"ends": ends}), flush=True)


if __name__ == "__main__":
    main()
