# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A tier of two parts, the second of which wants a file.
part one run_command one echo one runs
part two run_command two test -e "$FLAG"
