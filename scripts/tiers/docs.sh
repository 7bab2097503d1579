# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The commands of README, tutorial and how-tos, as printed, in a bare Debian 12.
install_packages docs
part docs run_command "pages in a bare Debian 12" "$KPACK_SOURCE_DIR/scripts/check-docs" \
  --keep "$KPACK_BUILD_DIR/nightly/debian"
