#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The batches that AdaptDL chooses, for the test of goodput: adaptdl_goodput.py > adaptdl_goodput.csv

Needs `pip install adaptdl==0.2.11` (or its wheel in PYTHONPATH, with numpy, scipy and autograd). Its GoodputFunction gets random models: steps of
alpha + beta x samples of a GPU, and an exchange that nothing hides (gamma = 1) where there are several GPUs. AdaptDL looks at 50 batches in geometric
steps, of whole samples; the noise scale of its gradient is initial x var / sqr."""
import random

from adaptdl.goodput import GoodputFunction, GradParams, PerfParams

draw = random.Random(1)
print("gpus,alpha_s,beta_s,exchange_s,noise,initial,most,least_of_gpu,most_of_gpu,goodput,batch,accumulation")
for _ in range(200):
    gpus = draw.choice((1, 2, 3, 4))
    alpha, beta, exchange = draw.uniform(0.01, 1), 10 ** draw.uniform(-4, -1.5), 10 ** draw.uniform(-2, 0.5)
    least, most_of_gpu = draw.randrange(4, 17), draw.randrange(64, 257)
    initial = draw.randrange(least * gpus, most_of_gpu * gpus)
    most = round(initial * draw.uniform(1.5, 16))
    noise = initial * 10 ** draw.uniform(-1, 2)
    function = GoodputFunction(PerfParams(alpha, beta, exchange, 0, exchange, 0, 1), GradParams(1, noise / initial), initial)
    goodput, of_gpu, steps = function.optimize(1, gpus, max_batch_size=most, atomic_bsz_range=(least, most_of_gpu), accumulation=True)
    print(f"{gpus},{alpha!r},{beta!r},{exchange if gpus > 1 else 0!r},{noise!r},{initial},{most},{least},{most_of_gpu},{goodput!r},"
          f"{gpus * of_gpu * (steps + 1)},{steps}")
