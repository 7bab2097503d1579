# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Each convolution of ResNet-50 and the 3D U-Net in three directions on emulated GPUs.
configure_suite "$KPACK_BUILD_DIR"
build_suite "$KPACK_BUILD_DIR" release
export KPACK_CONV_MODELS=all
part conv-models run_tests "$KPACK_BUILD_DIR" "convolutions of models" '/ConvModelsTests/'
unset KPACK_CONV_MODELS
