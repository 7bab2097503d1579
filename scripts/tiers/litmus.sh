# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The memory of the emulated GPU: many rounds, one to eight workers, and ThreadSanitizer.
configure_suite "$KPACK_BUILD_DIR"
ninja -C "$KPACK_BUILD_DIR" -j "$KPACK_JOBS" --quiet softgpu-run
export KPACK_TEST_LITMUS_ROUNDS=100000
for workers in 1 2 4 8; do
  export KPACK_TEST_LITMUS_WORKERS=$workers
  part "workers-$workers" run_tests "$KPACK_BUILD_DIR" "litmus tests, workers: $workers" 'SoftGpu/litmus.test'
done
configure_suite "$KPACK_BUILD_DIR-tsan" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DKPACK_SANITIZE=thread
ninja -C "$KPACK_BUILD_DIR-tsan" -j "$KPACK_JOBS" --quiet softgpu-run
export KPACK_TEST_LITMUS_ROUNDS=1600 KPACK_TEST_LITMUS_WORKERS=4
part tsan run_tests "$KPACK_BUILD_DIR-tsan" "litmus tests, tsan" 'SoftGpu/litmus.test'
unset KPACK_TEST_LITMUS_ROUNDS KPACK_TEST_LITMUS_WORKERS
