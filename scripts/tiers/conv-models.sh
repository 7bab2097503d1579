# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Each convolution of ResNet-50 and the 3D U-Net on emulated GPUs; ResNet-50 at its own size; plans of both.
configure_suite "$KPACK_BUILD_DIR"
build_suite "$KPACK_BUILD_DIR" release
export KPACK_CONV_MODELS=all
part conv-models run_tests "$KPACK_BUILD_DIR" "convolutions of models" '/ConvModelsTests/'
export KPACK_CONV_MODELS=pass
part conv-resnet50 run_tests "$KPACK_BUILD_DIR" "ResNet-50 for 224x224" '/ConvModelsTests/'
export KPACK_CONV_MODELS=plans
part conv-plans run_tests "$KPACK_BUILD_DIR" "plans of models" '/ConvModelsTests/'
unset KPACK_CONV_MODELS
