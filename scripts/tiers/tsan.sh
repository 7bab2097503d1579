# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ThreadSanitizer: what runs threads in a HIP process, or shares a cache.
dir=$KPACK_BUILD_DIR-tsan
configure_suite "$dir" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DKPACK_SANITIZE=thread
build_suite "$dir" tsan
for program in CkJitRuntime HipShim HipShimMemory Jit JitApi JitKernel JitReplay KernelLibrary Runtime SoftGpu SoftGpuClient SoftGpuKfd; do
  part "$program" run_tests "$dir" "tsan, $program" "/${program}Tests/"
done
# Of convolutions the plans: calls while another thread compiles, writers of one file.
export GTEST_FILTER='PlanTest.Background*:PlanTest.AnotherPlan*:TuningTest.Writers*'
part ConvPlans run_tests "$dir" "tsan, plans of convolutions" '/(ConvCompiled|ConvBuilder)Tests/'
unset GTEST_FILTER
