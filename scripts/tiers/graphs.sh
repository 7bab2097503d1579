# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Graphs: 2,000 random ones on the CPU, 200 on each emulated GPU, models at many sizes.
# Also a million steps of a state on the CPU, and on emulated GPUs 10,000 executions of
# one and the encoder of the examples at 50 random sizes, as long as they can be.
configure_suite "$KPACK_BUILD_DIR"
build_suite "$KPACK_BUILD_DIR" release
export KPACK_TEST_GRAPH_SEEDS=0:200 KPACK_TEST_REPLAYS=10000 KPACK_TEST_GRAPH_TIMES=1500 KPACK_TEST_GRAPH_SIZES=50
part cpu run_command "random graphs on the CPU" env KPACK_JIT_GRAPH_SEEDS=0:2000 \
  "$KPACK_BUILD_DIR/unittests/JitReplay/JitReplayTests" --gtest_filter='RandomReplayTest.*'
part steps run_command "steps of a state" env KPACK_TEST_STEPS=1000000 \
  "$KPACK_BUILD_DIR/unittests/JitReplay/JitReplayTests" --gtest_filter='RecurrentTest.ManyStepsDoNotDrift'
part random run_tests "$KPACK_BUILD_DIR" "random graphs" 'JitGraph/gpu.test'
part replays run_tests "$KPACK_BUILD_DIR" "executions of a graph" 'JitGraph/gpu-calls.test'
part models run_tests "$KPACK_BUILD_DIR" "models" 'JitGraph/gpu-models.test'
unset KPACK_TEST_GRAPH_SEEDS KPACK_TEST_REPLAYS KPACK_TEST_GRAPH_TIMES KPACK_TEST_GRAPH_SIZES
