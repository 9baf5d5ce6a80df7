# SPDX-License-Identifier: Apache-2.0
"""The Python package as a user meets it; PYTHONPATH names the built package. Expected values of small queues are by hand."""
import concurrent.futures
import heapq
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import trainyard

SOURCES = pathlib.Path(__file__).resolve().parents[2]

HEAD = """trainyard: 1
name: q
question: who waits?
cluster:
  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 32, memory: 256 GB}}
  nodes: [{name: n, type: n, count: 2}]
  network: {topology: star, link: 25GbE}
"""


def queue(jobs, scheduling="{}"):
    """Two machines of 4 GPUs: n-0 and n-1. jobs: (name, submit, duration, GPUs)."""
    lines = [f"    - {{name: {name}, submit: {submit} s, duration: {duration} s, gpus: {gpus}}}" for name, submit, duration, gpus in jobs]
    return HEAD + "workload:\n  jobs:\n" + "\n".join(lines) + f"\nscheduling: {scheduling}\n"


def traced(gpus, trace):
    """A pool of machines with 8 GPUs each, and the jobs of a trace."""
    return (
        HEAD.replace("gpus: 4", "gpus: 8").replace("count: 2", f"count: {gpus // 8}")
        + f"workload: {{trace: {{file: {trace}}}}}\nscheduling: {{cluster: pool}}\n"
    )


PHILLY = traced(512, SOURCES / "tests/data/traces/philly.csv.gz")
THREE_TEAMS = traced(96, SOURCES / "scenarios/traces/three_teams.csv")


def starts(results):
    """When each job first started, s."""
    return {row["job"]: float(row["start_s"]) for row in results.rows("jobs") if row["start_s"]}


class Fifo(trainyard.Policy):
    def decide(self, queue, cluster):
        free = cluster.free_gpus
        chosen = []
        for job in queue:
            if job.gpus > free:
                break
            free -= job.gpus
            chosen.append(job)
        return chosen


class Sjf(trainyard.Policy):
    """Shortest estimate first, from the queue that it is given."""

    def decide(self, queue, cluster):
        if cluster.free_gpus == 0:
            return
        for job in sorted(queue, key=lambda job: (job.estimate, job.number)):
            cluster.start(job)


class ListeningFifo(trainyard.Policy):
    """Keeps the queue by itself."""

    def begin(self, cluster):
        self.waiting = []

    def arrived(self, job, cluster):
        heapq.heappush(self.waiting, (job.number, job))

    def decide(self, queue, cluster):
        while self.waiting and cluster.start(self.waiting[0][1]):
            heapq.heappop(self.waiting)


def run(scenario, policy=None, **overrides):
    return trainyard.Simulation(scenario, policy=policy, overrides=overrides).run()


def decided(decide):
    """A policy of one function."""
    return type("Decided", (trainyard.Policy,), {"decide": lambda self, queue, cluster: decide(queue, cluster)})()


class SameAsOurs(unittest.TestCase):
    def test_fifo_in_python_starts_the_whole_philly_trace_as_fifo_does(self):
        own = trainyard.Simulation(PHILLY, overrides={"scheduling.policy": "fifo"}).run()
        found = trainyard.Simulation(PHILLY, policy=Fifo()).run()
        self.assertEqual(len(starts(own)), 82247)
        self.assertEqual(starts(found), starts(own))

    def test_sjf_in_python_is_sjf(self):
        own = trainyard.Simulation(THREE_TEAMS, overrides={"scheduling.policy": "sjf"}).run()
        found = trainyard.Simulation(THREE_TEAMS, policy=Sjf()).run()
        self.assertEqual(len(starts(own)), 1500)
        self.assertEqual(starts(found), starts(own))

    def test_a_policy_may_keep_its_own_queue(self):
        own = trainyard.Simulation(THREE_TEAMS, overrides={"scheduling.policy": "fifo"}).run()
        self.assertEqual(starts(trainyard.Simulation(THREE_TEAMS, policy=ListeningFifo()).run()), starts(own))


class Decisions(unittest.TestCase):
    # a needs 8 GPUs for 100 s; b (4 GPUs, 10 s) comes at 20 s.
    JOBS = [("a", 0, 100, 8), ("b", 20, 10, 4)]

    def test_a_list_may_say_where(self):
        seen = []

        def decide(queue, cluster):
            self.assertEqual(cluster.machines, ["n-0", "n-1"])
            decisions = []
            for job in queue:
                if job.name == "first":
                    self.assertEqual(cluster.free, [4, 4])
                    decisions.append((job, [("n-1", [1, 3])]))
                else:
                    self.assertEqual(cluster.free_on("n-1"), [0, 2])
                    decisions.append((job.name, [("n-0", 4), (1, [0])]))
            seen.extend(job.place for job in cluster.running)
            return decisions

        results = run(queue([("first", 0, 100, 2), ("second", 5, 10, 5)]), decided(decide))
        self.assertEqual(starts(results), {"first": 0, "second": 5})
        self.assertIn([("n-1", [1, 3])], seen)

    def test_preempt_stops_a_job_that_keeps_its_progress(self):
        def decide(queue, cluster):
            for job in queue:
                if job.name == "b" and cluster.running and cluster.running[0].name == "a":
                    return [trainyard.Preempt(cluster.running[0]), job]
            return [job for job in queue if not cluster.running]

        # b runs 20-30; a has 80 s left and runs 30-110.
        results = run(queue(self.JOBS), decided(decide))
        jobs = {row["job"]: row for row in results.rows("jobs")}
        self.assertEqual(float(jobs["a"]["jct_s"]), 110)
        self.assertEqual(float(jobs["b"]["jct_s"]), 10)
        self.assertEqual(jobs["a"]["preemptions"], "1")

    def test_fits_asks_without_changing_anything(self):
        answers = []

        def decide(queue, cluster):
            for job in queue:
                if job.name == "b":
                    answers.append((cluster.fits(job), cluster.fits(job, without=cluster.running)))
                cluster.start(job)

        run(queue(self.JOBS), decided(decide))
        self.assertEqual(answers[0], (False, True))

    def test_withdraw_and_wake_at(self):
        def decide(queue, cluster):
            for job in queue:
                cluster.start(job)
                cluster.wake_at(30)
            if cluster.now == 30:
                cluster.withdraw("a")

        jobs = {row["job"]: row for row in run(queue([("a", 0, 100, 8)]), decided(decide)).rows("jobs")}
        self.assertEqual(jobs["a"]["state"], "withdrawn")

    def test_steps_go_from_instant_to_instant(self):
        simulation = trainyard.Simulation(queue(self.JOBS), policy=Fifo())
        # a arrives and starts; b arrives; a ends and b starts; b ends.
        self.assertEqual([simulation.step() for _ in range(6)], [0, 20, 100, 110, None, None])
        self.assertEqual(starts(simulation.run()), {"a": 0, "b": 100})
        self.assertIsNone(simulation.step())

    def test_a_job_tells_what_it_asks_for(self):
        told = {}

        def decide(queue, cluster):
            self.assertEqual(len(queue), 1)
            job = queue[0]
            self.assertIn(job, queue)
            self.assertIs(queue[-1], job)
            told[job.name] = (job.number, job.gpus, job.submitted, job.estimate, job.duration, job.deadline, job.gpu_type, job.waits)
            self.assertTrue(cluster.start(job))
            told["running"] = (job.runs, job.held_gpus, job.first_start, job.progress, len(queue))

        run(queue([("a", 0, 100, 8)]), type("Once", (trainyard.Policy,), {"decide": lambda self, q, c: decide(q, c) if q else None})())
        self.assertEqual(told["a"], (0, 8, 0, 100, 100, None, None, True))
        self.assertEqual(told["running"], (True, 8, 0, 0, 0))


class Faults(unittest.TestCase):
    def message(self, decide, jobs=(("a", 0, 100, 8), ("b", 20, 10, 4))):
        with self.assertRaises(trainyard.PolicyError) as raised:
            run(queue(jobs), decided(decide))
        return str(raised.exception)

    def test_more_gpus_than_are_free(self):
        text = self.message(lambda queue, cluster: list(queue))
        self.assertEqual(text, "Decided at 20 s: job 'b' needs 4 GPUs and cannot start: 0 are free (fewer GPUs free than it needs)")

    def test_an_unknown_job(self):
        self.assertIn("Decided at 0 s: there is no job 'aa'; did you mean 'a'?", self.message(lambda queue, cluster: ["aa"]))
        self.assertIn("7 is no job; give a Job of the queue, or its name", self.message(lambda queue, cluster: [7]))

    def test_a_job_twice(self):
        self.assertIn("job 'a' was to start, but it runs already", self.message(lambda queue, cluster: list(queue) * 2))

    def test_a_place_that_is_taken_or_does_not_exist(self):
        jobs = [("a", 0, 100, 4), ("b", 0, 100, 4)]
        self.assertIn("n-0 has no room on GPU 0: it is in use", self.message(lambda queue, cluster: [(job, [("n-0", [0, 1, 2, 3])]) for job in queue], jobs))
        self.assertIn("there is no machine 'n-7'", self.message(lambda queue, cluster: [(job, [("n-7", 4)]) for job in queue], jobs))
        self.assertIn("it was given 3 GPUs, but needs 4", self.message(lambda queue, cluster: [(job, [("n-0", 3)]) for job in queue], jobs))

    def test_what_is_no_list(self):
        self.assertIn("decide() must return None or a list of decisions", self.message(lambda queue, cluster: 5))

    def test_a_decision_at_this_instant_asked_for_again(self):
        text = self.message(lambda queue, cluster: cluster.wake_at(cluster.now))
        self.assertEqual(text, "Decided at 0 s: wake_at(0): the time must lie after now, 0 s")
        self.assertIn("the time must lie after now", self.message(lambda queue, cluster: cluster.wake_at(float("nan"))))
        # Times are whole nanoseconds: a tenth of one is no later.
        self.assertIn("the time must lie after now", self.message(lambda queue, cluster: cluster.wake_at(cluster.now + 1e-10)))

    def test_jobs_of_a_run_that_is_over(self):
        kept = []
        run(queue([("a", 0, 100, 8)]), decided(lambda queue, cluster: [kept.append(job) or job for job in queue]))
        self.assertEqual(kept[0].gpus, 8)
        with self.assertRaisesRegex(trainyard.PolicyError, "the run is over"):
            kept[0].runs

    def test_an_exception_in_a_policy_ends_the_run_with_its_own_traceback(self):
        def decide(queue, cluster):
            raise KeyError("mine")

        try:  # assertRaises forgets the frames
            run(queue([("a", 0, 100, 8)]), decided(decide))
            self.fail("no exception")
        except KeyError as error:
            trace = error.__traceback__
        frames = []
        while trace:
            frames.append(trace.tb_frame.f_code.co_name)
            trace = trace.tb_next
        self.assertEqual(frames[-1], "decide")

    def test_a_scenario_error_has_all_places(self):
        with self.assertRaises(trainyard.ScenarioError) as raised:
            trainyard.Simulation(HEAD.replace("count: 2", "cuont: 2").replace("star", "sta"))
        faults = raised.exception.faults
        self.assertTrue(any(fault.line == 6 and "cuont" in fault.message for fault in faults), faults)
        self.assertIn("scenario:6:", str(raised.exception))
        self.assertIsInstance(raised.exception, ValueError)

    def test_a_policy_needs_a_queue_and_a_method(self):
        with self.assertRaisesRegex(ValueError, "needs a scenario with a 'workload'"):
            trainyard.Simulation("mpi_job", policy=Fifo())
        with self.assertRaisesRegex(TypeError, "subclass of trainyard.Policy"):
            trainyard.Simulation(queue([("a", 0, 1, 1)]), policy=Fifo)
        with self.assertRaisesRegex(NotImplementedError, "Policy needs a method decide"):
            run(queue([("a", 0, 1, 1)]), trainyard.Policy())
        with self.assertRaisesRegex(FileNotFoundError, "no scenario file 'nothing.yaml'"):
            trainyard.Simulation("nothing.yaml")


class Tables(unittest.TestCase):
    def test_every_kind_of_scenario_runs(self):
        results = run("mpi_job")
        self.assertIn("jobs", results.tables)
        self.assertGreater(len(results.rows("jobs")), 0)
        self.assertTrue(results.text)

    def test_overrides_are_those_of_set(self):
        results = run(queue([("a", 0, 100, 2), ("b", 0, 10, 2)]), **{"cluster.nodes.0.count": 1, "scheduling.policy": "sjf"})
        self.assertEqual(results.summary["gpus"], 4)
        self.assertEqual([row["policy"] for row in results.summary["policies"]], ["sjf"])

    def test_overrides_take_numbers_of_numpy_and_paths(self):
        class Number:  # as those of numpy, which the tests do not need
            def tolist(self):
                return 1

        jobs = queue([("a", 0, 100, 2)])
        self.assertEqual(run(jobs, **{"cluster.nodes.0.count": Number()}).summary["gpus"], 4)
        with self.assertRaisesRegex(trainyard.ScenarioError, "there is no trace 'nothing.csv'"):
            run(THREE_TEAMS, **{"workload.trace.file": pathlib.Path("nothing.csv")})
        with self.assertRaisesRegex(TypeError, "an override cannot be <object"):
            run(jobs, **{"cluster.nodes.0.count": object()})
        with self.assertRaisesRegex(TypeError, "overrides must be a dictionary"):
            trainyard.Simulation(jobs, overrides=["cluster.nodes.0.count=1"])

    def test_the_summary_says_what_is_assumed_with_a_policy_too(self):
        jobs = queue([("a", 0, 100, 8)])
        results = run(jobs, Fifo())
        self.assertIn("start cost 0 s", results.summary["assumed"])
        self.assertIn("assumed: ", results.text)

    def test_what_the_check_warned_of_is_in_the_summary(self):
        services = (HEAD + "orchestrator: kubernetes\nservices: [{name: s, kind: training, work: 1 h, replicas: 9, resources: {gpus: 1}}]\n"
                    "run: {until: 3 h}\n")
        simulation = trainyard.Simulation(services)
        self.assertIn("have room for 8 of them at a time", simulation.warnings[0])
        self.assertIn("have room for 8 of them at a time", " ".join(simulation.run().summary["warnings"]))

    def test_a_program_in_german_gets_the_same_answer(self):
        # In its locale C's printf and strtod have a decimal comma: "4,022 GB", and 10.5 would be no number.
        jobs = queue([("a", 0, 100, 8), ("b", 20, 10, 8)], '{policy: {name: dlas_gpu, limits: "10.5 200"}}')
        code = (
            "import locale, sys, trainyard\n"
            "locale.setlocale(locale.LC_ALL, sys.argv[1])\n"
            f"print(trainyard.Simulation({jobs!r}).run().csv('jobs'))\n"
            "print(trainyard.Simulation('checkpoint_interval').run().text)\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            try:
                made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", folder + "/de_DE.UTF-8"], capture_output=True)
            except FileNotFoundError:
                made = None
            if made is None or made.returncode != 0:
                print("\nSKIP   : part locale: localedef made no German one")
                return
            answers = [
                subprocess.run([sys.executable, "-c", code, name], env={**os.environ, "LOCPATH": folder}, capture_output=True, text=True, encoding="utf-8")
                for name in ("C", "de_DE.UTF-8")
            ]
        self.assertEqual(answers[1].stderr, "")
        self.assertIn("4.022 GB", answers[1].stdout)
        self.assertEqual(answers[1].stdout, answers[0].stdout)

    def test_ctrl_c_stops_one_long_point(self):
        # 128 workers of asynchronous servers in packets: minutes.
        code = (
            "import trainyard\n"
            "s = trainyard.Simulation('cluster:\\n  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 8}}\\n  nodes: [{name: n, type: n, count: 16}]\\n'\n"
            "  '  network: {topology: star, link: 10GbE}\\njobs: [{name: a, model: vgg16, training: {mode: parameter_server, update_rule: async, servers: 16}, '\n"
            "  'workers: 128, batch_per_gpu: 32, steps: 400}]\\nrun: {fidelity: tcp}\\n')\n"
            "print('ready', flush=True)\n"
            "try:\n  s.run()\nexcept KeyboardInterrupt:\n  print('stopped', flush=True)\n"
        )
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
            try:
                self.assertEqual(child.stdout.readline(), "ready\n")
                time.sleep(1)
                child.send_signal(signal.SIGINT)
                self.assertEqual(child.communicate(timeout=20)[0], "stopped\n")
            finally:
                child.kill()

    def test_results_are_data_frames(self):
        try:
            import pandas
        except ImportError:
            print("\nSKIP   : part python: pandas was not found, so DataFrames were not tested")
            return
        results = run(queue([("a", 0, 100, 8), ("b", 20, 10, 4)]), Fifo())
        self.assertIsInstance(results.jobs, pandas.DataFrame)
        self.assertEqual(list(results.jobs["job"]), ["a", "b"])
        self.assertEqual(list(results.jobs["queueing_delay_s"]), [0, 80])  # b waits from 20 s to 100 s
        self.assertEqual(results.metrics["policy"][0], "Fifo")
        self.assertGreater(len(results.events), 0)
        self.assertIs(results.jobs, results.jobs)


class Studies(unittest.TestCase):
    """Decisions are those of the command line."""

    def test_a_plan_buys_what_the_largest_job_needs(self):
        # A job of 16 GPUs needs four machines of 4; with fewer it never starts, whatever the wait of the others is.
        scenario = queue([("small", 0, 60, 1), ("large", 0, 60, 16)])
        plan = trainyard.plan(scenario, goals="p95(waiting) < 1 h", knobs={"cluster.nodes.0.count": "1..6"}, minimise="nodes")
        self.assertTrue(plan.met)
        self.assertEqual(plan.json["answer"]["settings"]["cluster.nodes.0.count"], "4")
        self.assertEqual(plan.rows[0]["cluster.nodes.0.count"], "4")
        self.assertIn("p95(waiting) < 1 h", plan.rows[0])
        self.assertIn("4", plan.text)

    def test_a_plan_that_cannot_meet_its_goal_says_so(self):
        plan = trainyard.plan(queue([("large", 0, 60, 16)]), goals=["p95(waiting) < 1 h"], knobs={"cluster.nodes.0.count": [1, 2]}, minimise="nodes")
        self.assertFalse(plan.met)

    def test_candidates_layouts_and_inputs_are_rows(self):
        compared = trainyard.compare(queue([("a", 0, 60, 8), ("b", 0, 60, 8)]), vary={"cluster.nodes.0.count": [2, 4]})
        makespans = {row["candidate"]: row["mean"] for row in compared.rows if row["measure"] == "makespan"}
        self.assertEqual(makespans, {"count=2": 120, "count=4": 60})  # one after the other, or side by side
        found = trainyard.layouts("llama3_8b", gpu="H100-SXM5", gpus=8)
        self.assertEqual(found.rows[0]["tp"] * found.rows[0]["pp"] * found.rows[0]["dp"] * found.rows[0]["cp"], 8)
        self.assertGreaterEqual(found.rows[0]["tokens_per_second"], found.rows[-1]["tokens_per_second"])
        inputs = trainyard.sensitivity("rendezvous")
        self.assertIn("jobs.0.workers", [row["input"] for row in inputs.rows])

    def test_a_replay_has_a_row_per_half_and_predictor(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, "a.swf")
            rows = [f"{i + 1} {21600 * i} 60 3600 4 -1 -1 4 7200 -1 1 1 1 -1 1 -1 -1 -1" for i in range(140)]
            log.write_text("\n".join(["; MaxProcs: 8", *rows, ""]))
            replay = trainyard.replay(log, what_if=["nodes=+1", "policy=fifo"])
        self.assertIn("nodes=+1", replay.text)
        self.assertEqual([one["change"] for one in replay.json["what_if"]], ["nodes=+1", "policy=fifo"])
        fifo = [row for row in replay.rows if row["predictor"] == "FIFO"]
        self.assertEqual([row["half"] for row in fifo], ["first_half", "second_half"])
        self.assertEqual(fifo[0]["recorded_mean_s"], 60)

    def test_what_simrun_refuses_is_an_error(self):
        with self.assertRaisesRegex(trainyard.ScenarioError, "measure"):
            trainyard.plan(queue([("a", 0, 60, 1)]), goals="no_such_measure < 1", knobs={"cluster.nodes.0.count": "1..2"})


class Sweeps(unittest.TestCase):
    """Four GPUs a machine, two jobs of eight: one after the other on two machines, 120 s, or side by side on four, 60 s."""

    POINTS = [{"cluster.nodes.0.count": 2}, {"cluster.nodes.0.count": 4}, {"cluster.nodes.0.count": "many"}]

    def check(self, executor):
        rows = trainyard.sweep(queue([("a", 0, 60, 8), ("b", 0, 60, 8)]), self.POINTS, executor=executor)
        self.assertEqual([row["cluster.nodes.0.count"] for row in rows], [2, 4, "many"])
        self.assertEqual([float(row["makespan_s"]) for row in rows[:2]], [120, 60])
        self.assertIn("many", rows[2]["error"])

    def test_processes_and_threads_give_the_same(self):
        self.check(None)
        with concurrent.futures.ThreadPoolExecutor(2) as threads:
            self.check(threads)

    def test_two_workers_of_dask(self):
        try:
            from distributed import Client, LocalCluster
        except ImportError:
            self.skipTest("part python: distributed is not installed")
        with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
            self.check(client.get_executor())


if __name__ == "__main__":
    unittest.main()
