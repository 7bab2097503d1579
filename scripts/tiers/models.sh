# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Models on emulated GPUs: the encoder of the examples at 50 random sizes, as long as it can be.
# The other graphs: graphs.sh.
configure_suite "$KPACK_BUILD_DIR"
build_suite "$KPACK_BUILD_DIR" release
export KPACK_TEST_GRAPH_TIMES=1500 KPACK_TEST_GRAPH_SIZES=50
part models run_tests "$KPACK_BUILD_DIR" "models" 'JitGraph/gpu-models.test'
unset KPACK_TEST_GRAPH_TIMES KPACK_TEST_GRAPH_SIZES
