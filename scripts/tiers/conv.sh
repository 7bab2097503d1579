# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Convolutions: a tenth of scripts/accept conv with a new seed, a third of the compiled kernels, what g++ says.
configure_suite "$KPACK_BUILD_DIR"
build_suite "$KPACK_BUILD_DIR" release
seed=$((RANDOM * 32768 + RANDOM + 1))
say "convolutions: seed $seed"
for one in texts digest constant compiles refusals faults; do
  part "conv-$one" run_command "convolutions, $one" python3 "$KPACK_SOURCE_DIR/acceptance/conv.py" \
    --build="$KPACK_BUILD_DIR" --source="$KPACK_SOURCE_DIR" --seed="$seed" --share=10 --part="$one"
done
part conv-cases run_command "convolutions beside the reference" env KPACK_CONV_SEED="$seed" KPACK_CONV_CASES=20000 \
  "$KPACK_BUILD_DIR/unittests/ConvBuilder/ConvBuilderTests" \
  --gtest_filter='DirectTest.*:GemmTest.*:SplitTest.*:StreamTest.*:DepthwiseTest.*'
# A third of them each night, for all take eight minutes of one processor.
part conv-compiled run_command "compiled kernels, everywhere" env KPACK_CONV_COMPILED=all KPACK_CONV_AOT_PAIRS=10 \
  KPACK_CONV_COST=200 GTEST_TOTAL_SHARDS=3 GTEST_SHARD_INDEX=$((seed % 3)) \
  "$KPACK_BUILD_DIR/unittests/ConvCompiled/ConvCompiledTests"
export KPACK_CONV_COMPILED=all KPACK_CONV_NUMPY=100 KPACK_CONV_SEED=$seed
part conv-builder run_tests "$KPACK_BUILD_DIR" "the builder, all tests" '^kpack :: ConvBuilder/'
unset KPACK_CONV_NUMPY KPACK_CONV_SEED
export KPACK_CONV_COMPILERS=g++-12
part conv-compilers run_tests "$KPACK_BUILD_DIR" "convolutions by g++" \
  'ConvBuilder/(cxx-text|headers|import-errors|instances|messages)'
unset KPACK_CONV_COMPILED KPACK_CONV_COMPILERS
