# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What CMake's HIP language wants of a ROCm, for kpack-clang++ and the HIP packages of
# a distribution: CMake looks for it in lib/cmake below CMAKE_HIP_COMPILER_ROCM_ROOT,
# where distributions do not have it, and theirs is for another clang. The compiler
# finds headers and device libraries itself; a link, which CMake does without a word
# of HIP, gets the runtime here.
foreach(_hip_lang_target device amdhip64)
  if(NOT TARGET hip-lang::${_hip_lang_target})
    add_library(hip-lang::${_hip_lang_target} INTERFACE IMPORTED)
  endif()
endforeach()
unset(_hip_lang_target)
set_property(TARGET hip-lang::amdhip64 PROPERTY INTERFACE_LINK_LIBRARIES amdhip64)
set_property(TARGET hip-lang::device PROPERTY INTERFACE_LINK_LIBRARIES hip-lang::amdhip64)
set(_CMAKE_HIP_DEVICE_RUNTIME_TARGET hip-lang::device)
