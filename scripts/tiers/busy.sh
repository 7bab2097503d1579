# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The release suite while four other processes want the processors all the time.
install_packages busy
configure_suite "$KPACK_BUILD_DIR"
build_suite "$KPACK_BUILD_DIR" release
beside_stress
suite_in_parts "$KPACK_BUILD_DIR" "busy machine"
