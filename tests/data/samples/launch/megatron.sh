#!/bin/bash
GPUS_PER_NODE=8
NUM_NODES=16   # of them
TP=8
PP=${PIPELINE:-4}

GPT_MODEL_ARGS=(
    --num-layers 96
    --hidden-size 12288
    --num-attention-heads 96
    --seq-length 2048
    --max-position-embeddings 2048
    --attention-backend auto # the kernel
)
TRAINING_ARGS="--micro-batch-size 1 --global-batch-size 1536 --bf16 --sequence-parallel"
torchrun --nproc_per_node $GPUS_PER_NODE --nnodes $NUM_NODES pretrain_gpt.py \
    ${GPT_MODEL_ARGS[@]} $TRAINING_ARGS \
    --tensor-model-parallel-size=$TP --pipeline-model-parallel-size $PP \
    --num-layers-per-virtual-pipeline-stage 3 --vocab-size 50257 \
    --use-distributed-optimizer --overlap-grad-reduce --recompute-granularity full --recompute-method uniform \
    --lr 6.0e-5 --clip-grad 1.0
