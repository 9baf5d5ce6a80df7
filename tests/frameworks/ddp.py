# SPDX-License-Identifier: Apache-2.0
"""One rank of PyTorch DistributedDataParallel over Gloo whose layers sleep instead of computing.

Reads jobs from standard input, one JSON object a line, and answers each with one line: {"ends": [seconds, …]}, the ends of its steps.
"""
import datetime
import json
import os
import sys
import time

import torch
import torch.distributed as dist


class Sleep(torch.autograd.Function):
    """A layer: sleeps for its forward time, and in the backward pass for its backward time before its gradients are ready."""

    @staticmethod
    def forward(ctx, x, layer, *parameters):
        ctx.layer = layer
        rest(layer.forward_s)
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        rest(ctx.layer.backward_s)
        return (gradient.clone(), None, *ctx.layer.gradients)


def rest(seconds):
    """Sleeps until the end of the time that the processor has had for this pass: a late wake-up is not added up."""
    rest.until = max(rest.until, time.monotonic() - 0.02) + seconds
    time.sleep(max(0.0, rest.until - time.monotonic()))


rest.until = 0.0


class Layer(torch.nn.Module):
    def __init__(self, spec, slow):
        super().__init__()
        self.forward_s, self.backward_s = spec["forward"] * slow, spec["backward"] * slow
        self.weights = torch.nn.ParameterList(torch.zeros(n) for n in spec["parameters"])
        self.gradients = [torch.ones(n) for n in spec["parameters"]]

    def forward(self, x):
        return Sleep.apply(x, self, *self.weights)


def train(job):
    """Step ends of one training job."""
    layers = [Layer(spec, job["slow"]) for spec in job["layers"]]
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers), bucket_cap_mb=job["bucket_mb"])
    x, ends = torch.zeros(1, requires_grad=True), []
    time.sleep(job["delay"])
    for _ in range(job["steps"]):
        model.zero_grad(set_to_none=True)
        rest.until = time.monotonic()
        model(x).sum().backward()
        ends.append(time.time())
    return ends


def all_reduce(job):
    """Seconds of all-reduces of job["elements"] elements each, one after another."""
    data, took = torch.ones(job["elements"]), []
    for _ in range(job["steps"]):
        dist.barrier()
        begin = time.time()
        dist.all_reduce(data)
        took.append(time.time() - begin)
    return took


def main():
    torch.set_num_threads(1)
    os.environ["GLOO_SOCKET_IFNAME"] = "eth0"
    for line in sys.stdin:
        job = json.loads(line)
        dist.init_process_group("gloo", init_method=f"tcp://{job['master']}:{job['port']}", rank=job["index"], world_size=job["world"],
                                timeout=datetime.timedelta(seconds=120))
        print("ready", flush=True)
        sys.stdin.readline()
        answer = all_reduce(job) if "elements" in job else train(job)
        dist.barrier()
        dist.destroy_process_group()
        print(json.dumps({"ends": answer}), flush=True)


if __name__ == "__main__":
    main()
