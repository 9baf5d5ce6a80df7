# SPDX-License-Identifier: Apache-2.0
"""The configurations of the testbed. None of them takes part in the calibration, which is one link and two processes."""

SHORT = {"ps-tcp-sync-w4-s1-r100-even", "ps-grpc-sync-w2-s2-r100-even", "ring-n4-r100-even-b1000k", "ps-tcp-async-w4-s1-r100-even"}


def job(kind, workers, servers=(), name="job", model="even_tensors", elements=400_000, compute=0.2, transport="tcp", rule="sync", staleness=2,
        placement="round_robin", partition=200_000, bucket=1_000_000, slow=1):
    return {"name": name, "kind": kind, "workers": list(workers), "servers": list(servers), "model": model, "elements": elements,
            "compute": compute, "transport": transport, "rule": rule, "staleness": staleness, "placement": placement,
            "partition": partition, "bucket": bucket, "slow": slow}


def config(name, group, rate, jobs, rates=None, second_rack=(), between=0):
    roles = {}
    for item in jobs:
        roles.update({node: "server" for node in item["servers"]})
        roles.update({node: "worker" for node in item["workers"]})
    all_rates = {node: rate for node in roles}
    all_rates.update(rates or {})
    return {"name": name, "group": group, "jobs": jobs, "roles": roles, "rates": all_rates, "second_rack": set(second_rack),
            "between": between}


MODELS = {"even": "even_tensors", "dominant": "dominant_tensor", "many": "many_tensors"}


def configurations():
    """Nodes are numbered from 1; servers come first."""
    result = []

    def ps(workers, servers, rate, model, transport="tcp", rule="sync", group=None, suffix="", elements=400_000, compute=0.2, rates=None,
           second_rack=(), between=0, **more):
        nodes = list(range(1, servers + workers + 1))
        name = f"ps-{transport}-{rule}-w{workers}-s{servers}-r{rate}-{model}{suffix}"
        item = job("ps", nodes[servers:], nodes[:servers], model=MODELS[model], transport=transport, rule=rule, elements=elements,
                   compute=compute, **more)
        result.append(config(name, group or f"ps {transport} {rule}", rate, [item], rates, second_rack, between))

    def ring(ranks, rate, model, bucket, group="ring", suffix="", elements=600_000, compute=0.3, rates=None, second_rack=(), between=0, **more):
        name = f"ring-n{ranks}-r{rate}-{model}-b{bucket // 1000}k{suffix}"
        item = job("ring", range(1, ranks + 1), model=MODELS[model], bucket=bucket, elements=elements, compute=compute, **more)
        result.append(config(name, group, rate, [item], rates, second_rack, between))

    # Parameter servers, synchronous, TCP: workers, servers, rates, profiles, placements
    for workers, servers, rate, model in ((1, 1, 100, "even"), (2, 1, 50, "even"), (2, 1, 100, "dominant"), (4, 1, 100, "even"),
                                          (4, 1, 200, "many"), (4, 2, 50, "even"), (4, 2, 100, "dominant"), (4, 2, 100, "many"),
                                          (4, 4, 100, "even"), (6, 1, 200, "even"), (6, 2, 100, "even"), (5, 3, 100, "many")):
        ps(workers, servers, rate, model)
    ps(4, 2, 100, "dominant", suffix="-greedy", placement="greedy")
    ps(4, 2, 100, "dominant", suffix="-partitioned", placement="partitioned")
    ps(4, 2, 200, "dominant", suffix="-long-compute", compute=1.0, placement="greedy")
    ps(2, 2, 100, "even", suffix="-large", elements=1_200_000)
    # gRPC
    for workers, servers, rate, model in ((1, 1, 100, "even"), (2, 1, 50, "even"), (2, 2, 100, "even"), (4, 1, 100, "dominant"),
                                          (4, 2, 100, "many"), (4, 4, 100, "even"), (6, 2, 100, "dominant"), (4, 1, 200, "even")):
        ps(workers, servers, rate, model, transport="grpc")
    ps(4, 2, 100, "dominant", transport="grpc", suffix="-partitioned", placement="partitioned")
    ps(2, 1, 100, "even", transport="grpc", suffix="-long-compute", compute=0.8)
    # asynchronous and bounded
    for workers, servers, rate, model in ((2, 1, 100, "even"), (4, 1, 100, "even"), (4, 2, 100, "dominant"), (6, 2, 100, "even"), (4, 2, 200, "many")):
        ps(workers, servers, rate, model, rule="async")
    ps(3, 1, 50, "even", rule="async", suffix="-compute-bound", elements=40_000, compute=0.4)
    for workers, servers, rate, model in ((2, 1, 100, "even"), (4, 2, 100, "even")):
        ps(workers, servers, rate, model, rule="async", transport="grpc")
    for workers, servers, rate, model in ((2, 1, 100, "even"), (4, 2, 100, "dominant"), (4, 1, 200, "even")):
        ps(workers, servers, rate, model, rule="bounded")
    # rings: ranks, rates, profiles, buckets
    for ranks, rate, model, bucket in ((2, 100, "even", 1_000_000), (3, 100, "even", 500_000), (4, 50, "even", 1_000_000), (4, 100, "even", 1_000_000),
                                       (4, 100, "even", 200_000), (4, 100, "even", 10_000_000), (4, 200, "dominant", 1_000_000),
                                       (8, 100, "even", 1_000_000), (8, 50, "dominant", 2_000_000), (6, 100, "many", 500_000),
                                       (8, 100, "many", 10_000_000), (5, 200, "many", 250_000)):
        ring(ranks, rate, model, bucket)
    ring(4, 100, "even", 500_000, suffix="-long-compute", compute=1.0)
    # one slow link
    ps(4, 1, 100, "even", group="slow link", suffix="-slow-worker", rates={3: 40})
    ps(4, 2, 100, "even", group="slow link", suffix="-slow-server", rates={1: 40})
    ps(4, 1, 100, "even", group="slow link", rule="async", suffix="-slow-worker", rates={3: 20})
    ring(4, 100, "even", 1_000_000, group="slow link", suffix="-slow-rank", rates={2: 40})
    ring(8, 100, "many", 500_000, group="slow link", suffix="-slow-rank", rates={5: 50})
    # two racks joined by one thin link
    ps(4, 1, 100, "even", group="two racks", suffix="-racks", second_rack={4, 5}, between=60)
    ps(4, 2, 100, "even", group="two racks", suffix="-racks", second_rack={2, 5, 6}, between=60)
    ps(4, 1, 100, "even", group="two racks", rule="async", suffix="-racks", second_rack={4, 5}, between=40)
    ring(4, 100, "even", 1_000_000, group="two racks", suffix="-racks", second_rack={3, 4}, between=40)
    ring(8, 100, "even", 500_000, group="two racks", suffix="-racks-interleaved", second_rack={2, 4, 6, 8}, between=100)
    # one straggler
    ps(4, 1, 100, "even", group="straggler", suffix="-straggler", slow=3, compute=0.4)
    ps(4, 2, 100, "even", group="straggler", rule="async", suffix="-straggler", slow=3, compute=0.4)
    ps(4, 2, 100, "even", group="straggler", rule="bounded", suffix="-straggler", slow=3, compute=0.4)
    ring(4, 100, "even", 500_000, group="straggler", suffix="-straggler", slow=3)
    ps(3, 1, 100, "many", group="straggler", transport="grpc", suffix="-straggler", slow=2, compute=0.5)

    # two jobs at once
    def two(name, rate, first, second, second_rack=(), between=0):
        result.append(config("two-" + name, "two jobs", rate, [first, second], None, second_rack, between))

    two("ps-same-server", 100, job("ps", [2, 3], [1], name="a"), job("ps", [4, 5], [1], name="b", compute=0.4))
    two("ps-same-server-uneven", 100, job("ps", [2, 3, 4], [1], name="a"), job("ps", [5], [1], name="b", elements=800_000))
    two("ps-servers-shared", 100, job("ps", [3, 4], [1, 2], name="a"), job("ps", [5, 6], [1, 2], name="b", model="dominant_tensor"))
    two("rings-over-thin-link", 100, job("ring", [1, 2, 3, 4], name="a", elements=600_000),
        job("ring", [5, 6, 7, 8], name="b", elements=600_000, compute=0.4), second_rack={3, 4, 7, 8}, between=60)
    two("ring-and-ps-over-thin-link", 100, job("ring", [5, 6, 7, 8], name="a", elements=600_000),
        job("ps", [2, 3, 4], [1], name="b"), second_rack={3, 4, 7, 8}, between=60)
    two("ps-async-same-server", 100, job("ps", [2, 3], [1], name="a", rule="async"), job("ps", [4, 5], [1], name="b", rule="async", compute=0.5))
    two("grpc-same-server", 100, job("ps", [2, 3], [1], name="a", transport="grpc"), job("ps", [4, 5], [1], name="b", transport="grpc"))
    names = [c["name"] for c in result]
    assert len(names) == len(set(names)), "two configurations have one name"
    return result


if __name__ == "__main__":
    print(len(configurations()), "configurations,", sum(len(c["jobs"]) for c in configurations()), "rows")
