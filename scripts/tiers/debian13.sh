# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The commands of README, tutorial and how-tos, and the quick check, in a bare Debian 13.
install_packages docs
part debian13 run_command "pages and check in a bare Debian 13" "$KPACK_SOURCE_DIR/scripts/check-docs" \
  --debian=13 --check --keep "$KPACK_BUILD_DIR/nightly/debian13"
