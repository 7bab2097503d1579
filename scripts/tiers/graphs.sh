# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Graphs: 2,000 random ones on the CPU, 200 on each emulated GPU, 10,000 executions of one.
# Also a million steps of a state on the CPU. Models at many sizes: models.sh.
configure_suite "$KPACK_BUILD_DIR"
build_suite "$KPACK_BUILD_DIR" release
export KPACK_TEST_GRAPH_SEEDS=0:200 KPACK_TEST_REPLAYS=10000
part cpu run_command "random graphs on the CPU" env KPACK_JIT_GRAPH_SEEDS=0:2000 \
  "$KPACK_BUILD_DIR/unittests/JitReplay/JitReplayTests" --gtest_filter='RandomReplayTest.*'
part steps run_command "steps of a state" env KPACK_TEST_STEPS=1000000 \
  "$KPACK_BUILD_DIR/unittests/JitReplay/JitReplayTests" --gtest_filter='RecurrentTest.ManyStepsDoNotDrift'
part random run_tests "$KPACK_BUILD_DIR" "random graphs" 'JitGraph/gpu.test'
part replays run_tests "$KPACK_BUILD_DIR" "executions of a graph" 'JitGraph/gpu-calls.test'
unset KPACK_TEST_GRAPH_SEEDS KPACK_TEST_REPLAYS
