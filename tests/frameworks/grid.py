# SPDX-License-Identifier: Apache-2.0
"""The configurations of tests/frameworks. None of them takes part in the calibration, which is one link and two processes."""


def layer(parameters, share, compute):
    return {"parameters": parameters, "forward": round(compute * share / 3, 6), "backward": round(2 * compute * share / 3, 6)}


def even(elements, compute):
    return [layer([elements // 8], 1 / 8, compute) for _ in range(8)]


def dominant(elements, compute):
    """As VGG-16: convolutions with few parameters take the time, one dense layer has three quarters of the parameters."""
    small = elements // 4 // 6
    return [*(layer([small, 64], 0.15, compute) for _ in range(6)), layer([elements * 3 // 4, 4096], 0.1, compute)]


def many(elements, compute):
    """As ResNet-50: forty layers, larger towards the end, each with a weight and two vectors."""
    total = sum(range(1, 41))
    return [layer([elements * (i + 1) // total, 128, 128], 1 / 40, compute) for i in range(40)]


def blocks(elements, compute):
    """As a transformer: an embedding, which takes no time, and twelve equal blocks of four matrices."""
    block = elements * 7 // 10 // 12
    return [layer([elements * 3 // 10], 0.01, compute), *(layer([block // 3, block // 3, block // 6, block // 6], 0.99 / 12, compute) for _ in range(12))]


MODELS = {"even": even, "dominant": dominant, "many": many, "blocks": blocks}


def job(framework, workers, servers=(), name="job", model="even", elements=1_600_000, compute=0.3, rule="sync", placement="round_robin", resource=True,
        bucket_mb=1, slow=1, layers=None):
    return {"name": name, "framework": "parameter_servers" if framework == "ps" else framework, "workers": list(workers), "servers": list(servers),
            "model": model, "layers": layers or MODELS[model](elements, compute), "compute": compute, "rule": rule, "placement": placement,
            "resource": resource, "bucket_mb": bucket_mb, "slow": slow}


def config(name, group, rate, jobs, rates=None, second_rack=(), between=0):
    roles = {node: "server" for item in jobs for node in item["servers"]}
    roles.update({node: "worker" for item in jobs for node in item["workers"]})
    return {"name": name, "group": group, "jobs": jobs, "roles": roles, "rates": {**{node: rate for node in roles}, **(rates or {})},
            "second_rack": set(second_rack), "between": between}


def configurations():
    """Nodes are numbered from 1; servers come first."""
    result = []

    def ddp(ranks, rate, model, bucket, group="ddp", suffix="", rates=None, second_rack=(), between=0, **more):
        item = job("ddp", range(1, ranks + 1), model=model, bucket_mb=bucket, **more)
        result.append(config(f"ddp-n{ranks}-r{rate}-{model}-b{bucket}{suffix}", group, rate, [item], rates, second_rack, between))

    def ps(workers, servers, rate, model, rule="sync", group=None, suffix="", rates=None, second_rack=(), between=0, **more):
        nodes = list(range(1, servers + workers + 1))
        item = job("ps", nodes[servers:], nodes[:servers], model=model, rule=rule, **more)
        result.append(config(f"ps-{rule}-w{workers}-s{servers}-r{rate}-{model}{suffix}", group or f"ps {rule}", rate, [item], rates, second_rack, between))

    # PyTorch: ranks, rates, models, sizes of buckets
    for ranks, rate, model, bucket in ((2, 100, "even", 1), (2, 200, "dominant", 1), (3, 100, "many", 1), (4, 50, "even", 1), (4, 100, "even", 1), (4, 100, "even", 25),
                                       (4, 100, "dominant", 1), (4, 200, "many", 1), (4, 100, "blocks", 1), (4, 200, "blocks", 25), (5, 100, "many", 2),
                                       (6, 100, "even", 2), (6, 200, "dominant", 4), (8, 100, "even", 1), (8, 100, "blocks", 2), (8, 200, "many", 25)):
        ddp(ranks, rate, model, bucket)
    ddp(2, 100, "even", 1, suffix="-large", elements=6_000_000)
    ddp(4, 100, "many", 1, suffix="-long-compute", compute=1.0)
    ddp(4, 200, "blocks", 4, suffix="-long-compute", compute=1.0)
    ddp(4, 100, "even", 1, group="ddp slow link", suffix="-slow-rank", rates={2: 40})
    ddp(8, 200, "blocks", 2, group="ddp slow link", suffix="-slow-rank", rates={5: 100})
    ddp(4, 100, "even", 1, group="ddp slow link", suffix="-racks", second_rack={3, 4}, between=50)
    ddp(4, 100, "many", 1, group="ddp straggler", suffix="-slow", slow=1.5)
    ddp(6, 200, "even", 1, group="ddp straggler", suffix="-slow", slow=1.3, compute=0.6)
    for name, pairs, rate, between in (("ddp-two-jobs-one-uplink", ([1, 3], [2, 4]), 100, 100), ("ddp-two-jobs-narrow-uplink", ([1, 3], [2, 4]), 100, 50)):
        result.append(config(name, "ddp two jobs", rate, [job("ddp", pair, name=f"job{i}") for i, pair in enumerate(pairs)], None, {3, 4}, between))
    # TensorFlow, synchronous
    for workers, servers, rate, model in ((1, 1, 100, "even"), (2, 1, 50, "even"), (2, 1, 100, "dominant"), (4, 1, 100, "even"), (4, 2, 100, "dominant"), (4, 2, 200, "many"),
                                          (4, 2, 100, "blocks"), (4, 4, 100, "even"), (6, 2, 100, "even"), (6, 1, 200, "blocks"), (5, 3, 200, "many")):
        ps(workers, servers, rate, model)
    ps(2, 1, 100, "even", suffix="-reference", resource=False)
    ps(4, 2, 100, "blocks", suffix="-reference", resource=False)
    ps(4, 2, 100, "dominant", suffix="-greedy", placement="greedy")
    ps(4, 3, 200, "many", suffix="-greedy", placement="greedy")
    ps(4, 2, 200, "blocks", suffix="-greedy-long-compute", placement="greedy", compute=1.0)
    ps(2, 2, 100, "even", suffix="-large", elements=4_800_000)
    ps(4, 2, 100, "even", group="ps slow link", suffix="-slow-worker", rates={4: 40})
    ps(4, 2, 100, "even", group="ps slow link", suffix="-slow-server", rates={1: 40})
    ps(4, 2, 100, "even", group="ps straggler", suffix="-slow", slow=1.5, compute=0.6)
    ps(4, 2, 100, "even", group="ps slow link", suffix="-racks", second_rack={5, 6}, between=50)
    # TensorFlow, asynchronous
    for workers, servers, rate, model in ((1, 1, 100, "many"), (2, 1, 100, "even"), (3, 1, 100, "blocks"), (4, 1, 100, "even"), (4, 2, 100, "dominant"), (4, 2, 200, "many"),
                                          (4, 4, 100, "blocks"), (6, 2, 100, "even"), (6, 1, 200, "dominant")):
        ps(workers, servers, rate, model, rule="async")
    ps(3, 1, 100, "even", rule="async", suffix="-compute-bound", elements=160_000, compute=0.5)
    ps(4, 2, 100, "blocks", rule="async", suffix="-greedy", placement="greedy")
    ps(4, 1, 100, "even", rule="async", group="ps slow link", suffix="-slow-worker", rates={3: 30})
    ps(4, 1, 100, "even", rule="async", group="ps straggler", suffix="-slow", slow=2)
    result.append(config("ps-two-jobs-one-server", "ps two jobs", 100, [job("ps", [3, 4], [1], name="job0"), job("ps", [5, 6], [2], name="job1")], None, {3, 4, 5, 6}, 100))
    return result
