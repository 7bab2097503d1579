# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prebuilding over the nodes of a real Slurm: ninja with srun, a job array, a dead node.
install_packages engines
configure_suite "$KPACK_BUILD_DIR"
build_suite "$KPACK_BUILD_DIR" release
for how in ninja array dying-node; do
  part "slurm-$how" run_command "Slurm, $how" python3 "$KPACK_SOURCE_DIR/test/Engines/slurm.py" "$KPACK_BUILD_DIR" "$how"
done
