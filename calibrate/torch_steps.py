#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures single-GPU training steps of PyTorch: the truth that predictions of one GPU are compared with.

  python3 calibrate/torch_steps.py --out steps.csv [--kernels kernels.csv] [--quick] [--only resnet50,llama3_8b]

steps.csv, a row for each case: networks (torchvision's, and BERT-base without an output projection, on 128 tokens; forward, loss, backward, SGD with momentum; `amp` with
a GradScaler; a batch of 2 is the time of the host) and layers of transformers (forward, loss and backward of so many layers with an embedding
and an output projection of 32,000 words, bf16, no optimiser; two depths, whose difference is that of the layers). Seconds are the median
over blocks of steps; low and high the quartiles. --kernels: the time of each kind of GPU kernel in one step, by PyTorch's profiler and the
kernels' names. Exit code 3: PyTorch is not there or sees no GPU.
"""
import argparse
import csv
import statistics
import sys
import time

VOCABULARY = 32000
# hidden, feed-forward, heads, heads of keys and values, gated; sequence, sequences, depths. Layers as the models of these names have them.
LAYERS = {
    "llama3_8b": ((4096, 14336, 32, 8, True), 8192, 1, (2, 4)),
    "llama3_8b_long": ((4096, 14336, 32, 8, True), 32768, 1, (1, 2)),
    "llama2_7b": ((4096, 11008, 32, 32, True), 4096, 1, (2, 4)),
    "llama3_70b": ((8192, 28672, 64, 8, True), 8192, 1, (1, 2)),
    "gpt3_6.7b": ((4096, 16384, 32, 32, False), 2048, 4, (2, 4)),
    "gpt3_1.3b": ((2048, 8192, 16, 16, False), 2048, 4, (2, 6)),
    "gpt2_medium": ((1024, 4096, 16, 16, False), 1024, 8, (4, 12)),
}
# network -> (precision, memory format, batches), the most important first
FORMATS = [("amp", "nchw", (2, 32, 128)), ("amp", "nhwc", (32, 128)), ("tf32", "nchw", (32, 128)), ("fp32", "nchw", (32, 128))]
NETWORKS = {
    "resnet50": FORMATS,
    "vgg16": FORMATS,
    "bert_base_mlm": [("amp", "nchw", (2, 32, 128)), ("tf32", "nchw", (32,)), ("fp32", "nchw", (32,))],
    "inception_v3": [("amp", "nchw", (2, 128)), ("amp", "nhwc", (128,)), ("tf32", "nchw", (64,))],
    "resnet152": [("amp", "nchw", (2, 64)), ("amp", "nhwc", (64,))],
    "alexnet": [("amp", "nchw", (256,)), ("amp", "nhwc", (256,)), ("fp32", "nchw", (256,))],
    "vit_b_16": [("amp", "nchw", (2, 64)), ("tf32", "nchw", (64,))],
}


def network(torch, name, batch):
    """The module, its input and its labels."""
    if name == "bert_base_mlm":
        import transformers

        class Bert(torch.nn.Module):  # every token is projected to the vocabulary, as in the catalogue's model
            def __init__(self):
                super().__init__()
                self.model = transformers.BertForMaskedLM(transformers.BertConfig())

            def forward(self, tokens):
                return self.model(tokens).logits.flatten(0, 1)

        return Bert(), torch.randint(0, 30522, (batch, 128)), torch.randint(0, 30522, (batch * 128,))
    import torchvision
    more = {"aux_logits": False, "init_weights": False} if name == "inception_v3" else {}
    size = 299 if name == "inception_v3" else 224
    return getattr(torchvision.models, name)(**more), torch.randn(batch, 3, size, size), torch.randint(0, 1000, (batch,))


def network_step(torch, name, precision, layout, batch):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision != "fp32"
    torch.manual_seed(1)
    with torch.device("cuda"):
        model, samples, labels = network(torch, name, batch)
    model.train()
    if layout == "nhwc":
        model, samples = model.to(memory_format=torch.channels_last), samples.to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, momentum=0.9)
    scaler = torch.amp.GradScaler("cuda", enabled=precision == "amp")

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=torch.float16, enabled=precision == "amp"):
            loss = torch.nn.functional.cross_entropy(model(samples), labels)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    return step


def transformer(torch, sizes, depth, sequence):
    """Pre-norm decoder, as written by hand in PyTorch: Llama's where it is gated, else GPT's with biases and dropout of 0.1."""
    hidden, feed_forward, heads, kv_heads, gated = sizes
    nn, functional = torch.nn, torch.nn.functional
    width = hidden // heads

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            norm = nn.RMSNorm if gated else nn.LayerNorm
            self.norm1, self.norm2 = norm(hidden), norm(hidden)
            self.qkv = nn.Linear(hidden, (heads + 2 * kv_heads) * width, bias=not gated)
            self.out = nn.Linear(hidden, hidden, bias=not gated)
            self.up = nn.Linear(hidden, (2 if gated else 1) * feed_forward, bias=not gated)
            self.down = nn.Linear(feed_forward, hidden, bias=not gated)
            self.dropout = nn.Dropout(0.0 if gated else 0.1)

        def forward(self, x, turn):
            batch, tokens, _ = x.shape
            q, k, v = self.qkv(self.norm1(x)).split([hidden, kv_heads * width, kv_heads * width], dim=2)
            q = q.view(batch, tokens, heads, width)
            k = k.view(batch, tokens, kv_heads, width)
            v = v.view(batch, tokens, kv_heads, width)
            if gated:
                q, k = rotate(q, turn), rotate(k, turn)
            y = functional.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True,
                                                        dropout_p=0.0 if gated else 0.1, enable_gqa=kv_heads != heads)
            x = x + self.dropout(self.out(y.transpose(1, 2).reshape(batch, tokens, hidden)))
            y = self.up(self.norm2(x))
            if gated:
                gate, value = y.chunk(2, dim=2)
                y = functional.silu(gate) * value
            else:
                y = functional.gelu(y)
            return x + self.dropout(self.down(y))

    def rotate(x, turn):  # as the published implementation of Llama does: in fp32, by complex numbers
        pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * turn).flatten(3).type_as(x)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(VOCABULARY, hidden)
            self.positions = None if gated else nn.Embedding(sequence, hidden)
            self.layers = nn.ModuleList(Layer() for _ in range(depth))
            self.norm = (nn.RMSNorm if gated else nn.LayerNorm)(hidden)
            self.logits = nn.Linear(hidden, VOCABULARY, bias=False)

        def forward(self, tokens, turn):
            x = self.words(tokens)
            if self.positions is not None:
                x = x + self.positions(torch.arange(tokens.shape[1], device=tokens.device))
            for layer in self.layers:
                x = layer(x, turn)
            return self.logits(self.norm(x))

    with torch.device("cuda"):
        model = Model().to(torch.bfloat16).train()
    angles = torch.outer(torch.arange(sequence, device="cuda").float(),
                         1.0 / 500000.0 ** (torch.arange(0, width, 2, device="cuda").float() / width))
    return model, torch.polar(torch.ones_like(angles), angles)[None, :, None, :]


def layers_step(torch, name, depth, compiled=False):
    sizes, sequence, sequences, _ = LAYERS[name]
    torch.manual_seed(1)
    model, turn = transformer(torch, sizes, depth, sequence)
    run = torch.compile(model) if compiled else model
    tokens = torch.randint(0, VOCABULARY, (sequences, sequence), device="cuda")
    labels = torch.randint(0, VOCABULARY, (sequences, sequence), device="cuda")

    def step():
        for parameter in model.parameters():
            parameter.grad = None
        logits = run(tokens, turn)
        torch.nn.functional.cross_entropy(logits.float().view(-1, VOCABULARY), labels.view(-1)).backward()

    return step


def optimizer_step(torch, parameters=500_000_000):
    weights = [torch.nn.Parameter(torch.randn(parameters // 50, device="cuda")) for _ in range(50)]
    for weight in weights:
        weight.grad = torch.randn_like(weight)
    return torch.optim.AdamW(weights, fused=True).step


def seconds_of(torch, step, quick):
    """Quartiles of the step over blocks that the host does not wait within."""
    for _ in range(3 if quick else 5):
        step()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    step()
    torch.cuda.synchronize()
    once = time.perf_counter() - begin
    steps = max(2, min(50, round((0.05 if quick else 0.15) / once)))
    times = []
    for _ in range(4 if quick else 7):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(steps):
            step()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) / steps)
    return statistics.quantiles(times, n=4)


# A kind of kernel, and parts of the names that its kernels have (small letters); the first that fits counts.
KERNELS = [
    ("turn around", ("nchwtonhwc", "nhwctonchw")),
    ("batch norm", ("bn_fw", "bn_bw", "batchnorm", "batch_norm")),
    ("attention", ("sdpa", "fmha", "flash", "dot_do_o", "convert_dq")),
    ("product", ("fprop", "dgrad", "wgrad", "implicit", "nvjet", "gemm", "winograd", "cutlass", "splitk", "fft", "convolve")),
    ("optimiser", ("multi_tensor",)),
    ("pool", ("pool",)),
    ("softmax", ("softmax",)),
    ("norm", ("layer_norm", "layernorm", "gammabeta", "rowwisemoments", "rms_norm")),
    ("activation", ("threshold", "clamp", "gelu", "silu")),
    ("dropout", ("dropout",)),
    ("add", ("functor_add", "functorona",)),
    ("copy or cast", ("copy", "cat")),
    ("reduction", ("reduce", "sum_and_scatter")),
    ("memory set", ("memset", "memcpy")),
    ("triton", ("triton",)),
]


def kind_of(kernel):
    small = kernel.lower()
    return next((kind for kind, parts in KERNELS if any(part in small for part in parts)), "other")


def kernels_of(torch, step):
    """(kind, calls, seconds) of one step, the longest first."""
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CUDA]) as profiled:
        step()
        torch.cuda.synchronize()
    kinds = {}
    for event in profiled.key_averages():
        calls, seconds = kinds.get(kind_of(event.key), (0, 0.0))
        kinds[kind_of(event.key)] = calls + event.count, seconds + 1e-6 * event.self_device_time_total
    found = [(kind, calls, seconds) for kind, (calls, seconds) in kinds.items() if seconds > 0]
    return sorted(found, key=lambda row: -row[2])


def all_cases(quick):
    """(name, kind, precision, layout, batch, depth, maker of the step from torch)"""
    networks = [(name, "network", precision, layout, batch, 0,
                 lambda torch, n=name, p=precision, l=layout, b=batch: network_step(torch, n, p, l, b))
                for name, formats in NETWORKS.items() for precision, layout, batches in (formats[:1] if quick else formats)
                for batch in batches]
    layers = [(name, "layers", "bf16", "", sequences, depth, lambda torch, n=name, d=depth: layers_step(torch, n, d))
              for name, (_, _, sequences, depths) in LAYERS.items() for depth in depths]
    compiled = [("llama3_8b", "compiled_layers", "bf16", "", 1, depth,
                 lambda torch, d=depth: layers_step(torch, "llama3_8b", d, compiled=True)) for depth in LAYERS["llama3_8b"][3]]
    first = [case for case in networks if case[0] in ("resnet50", "vgg16", "bert_base_mlm")]
    return (first + layers + [("adamw_fused", "optimizer", "fp32", "", 0, 0, optimizer_step)]
            + [case for case in networks if case not in first] + ([] if quick else compiled))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="file of the steps (CSV)")
    parser.add_argument("--kernels", default="", help="file of the kernels of one step (CSV)")
    parser.add_argument("--quick", action="store_true", help="half a minute, with wide error bars")
    parser.add_argument("--only", default="", help="these names only")
    parser.add_argument("--limit", type=float, default=240, help="seconds after which no further case begins")
    options = parser.parse_args()
    end = time.monotonic() + options.limit
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed: no measured steps of a framework.")
        return 3
    if not torch.cuda.is_available():
        print("PyTorch sees no GPU: no measured steps of a framework.")
        return 3
    only = set(filter(None, options.only.split(",")))
    kernels = []
    with open(options.out, "w", newline="") as file:
        file.write(f"# PyTorch {torch.__version__}, {torch.cuda.get_device_name()}, cuDNN {torch.backends.cudnn.version()}\n")
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["name", "kind", "precision", "layout", "batch", "layers", "seconds", "low", "high"])
        for name, kind, precision, layout, batch, depth, make in all_cases(options.quick):
            if only and name not in only:
                continue
            if time.monotonic() > end:
                print(f"{name} {kind} {precision} {layout} {batch}: left out, the time is over", file=sys.stderr)
                continue
            try:
                step = make(torch)
                low, middle, high = seconds_of(torch, step, options.quick)
                rows.writerow([name, kind, precision, layout, batch, depth, f"{middle:.6g}", f"{low:.6g}", f"{high:.6g}"])
                file.flush()
                print(f"{name:16} {kind:16} {precision:5} {layout:5} {batch:4} {depth:3} {1e3 * middle:9.3f} ms", flush=True)
                if options.kernels:
                    kernels += [[name, kind, precision, layout, batch, depth, calls, f"{seconds:.4g}", kernel]
                                for kernel, calls, seconds in kernels_of(torch, step)]
            except (torch.cuda.OutOfMemoryError, ImportError, RuntimeError) as error:
                print(f"{name} {kind} {precision} {layout} {batch}: {str(error).splitlines()[0]}", file=sys.stderr)
            step = None
            torch.cuda.empty_cache()
    if options.kernels:
        with open(options.kernels, "w", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["name", "kind", "precision", "layout", "batch", "layers", "calls", "seconds", "kernel"])
            rows.writerows(kernels)
    return 0


if __name__ == "__main__":
    sys.exit(main())
