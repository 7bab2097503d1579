# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ROCm's own tests that must pass on gfx1100, of ROCm 5.7 and 6.4.
accept_stacks gfx1100
