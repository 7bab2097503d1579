# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Convolutions: a tenth of what scripts/accept conv counts, with a new seed, which it prints; each header alone by
# both compilers.
configure_suite "$KPACK_BUILD_DIR"
build_suite "$KPACK_BUILD_DIR" release
seed=$((RANDOM * 32768 + RANDOM + 1))
say "convolutions: seed $seed"
for one in texts digest constant compiles refusals faults; do
  part "conv-$one" run_command "convolutions, $one" python3 "$KPACK_SOURCE_DIR/acceptance/conv.py" \
    --build="$KPACK_BUILD_DIR" --source="$KPACK_SOURCE_DIR" --seed="$seed" --share=10 --part="$one"
done
part conv-cases run_command "convolutions beside the reference" env KPACK_CONV_SEED="$seed" KPACK_CONV_CASES=20000 \
  "$KPACK_BUILD_DIR/unittests/ConvBuilder/ConvBuilderTests" --gtest_filter='DirectTest.*:GemmTest.*:StreamTest.*'
part conv-compiled run_command "each instruction and each operation, everywhere" env KPACK_CONV_OPERATIONS=all \
  KPACK_CONV_GEMM=all KPACK_CONV_SPLIT=all KPACK_CONV_GROUPS=all KPACK_CONV_DEPTHWISE=all \
  "$KPACK_BUILD_DIR/unittests/ConvCompiled/ConvCompiledTests" --gtest_filter='*.Each*'
export KPACK_CONV_HEADERS=all
part conv-headers run_tests "$KPACK_BUILD_DIR" "headers of convolutions" 'ConvBuilder/headers'
unset KPACK_CONV_HEADERS
