# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Each product alone, then all: configured, built, tested, installed, files compared.
alone_dir=$KPACK_BUILD_DIR-products

# build_products DIR PRODUCT...: with tests.
build_products() {
  local dir=$1
  shift
  configure_suite "$dir" -DKPACK_PRODUCTS="$(IFS=';'; echo "$*")" &&
    ninja -C "$dir" -j "$KPACK_JOBS" --quiet check-depends
}

# build_anew PRODUCT: in an empty folder, so that no file of another product helps.
build_anew() {
  rm -rf "$alone_dir"
  build_products "$alone_dir" "$1"
}

# test_alone PRODUCT: the next product has its turn even if this one cannot be built.
test_alone() {
  if build_products "$alone_dir" "$1"; then
    run_tests "$alone_dir" "$1 alone"
  else
    say "$1 alone: not tested, the build failed"
    failed=$((failed + 1))
  fi
}

# with_needed PRODUCT: it and the products that it needs at run time.
with_needed() {
  awk -v p="$1" 'BEGIN { print p } $1 == "product" { known[$2] }
    $1 == "needs" && $2 == p { for (i = 3; i <= NF; i++) if ($i in known) print $i }' \
    "$KPACK_SOURCE_DIR/lib/floors.txt"
}

# compare_installed DIR PRODUCT...
compare_installed() {
  local dir=$1
  shift
  rm -rf "$dir/installed"
  ninja -C "$dir" -j "$KPACK_JOBS" --quiet &&
    cmake --install "$dir" --prefix "$dir/installed" >"$dir/install.log" &&
    python3 "$KPACK_SOURCE_DIR/test/Install/Inputs/installed.py" "$dir/installed" "$@"
}

# compare_alone PRODUCT: reconfigures the folder as it is.
compare_alone() {
  local -a products
  mapfile -t products < <(with_needed "$1")
  build_products "$alone_dir" "$1" && compare_installed "$alone_dir" "${products[@]}"
}

IFS=';' read -r -a all <<<"$(all_products)"
for product in "${all[@]}"; do
  part "$product-build" run_command "$product alone: build" build_anew "$product"
  part "$product-tests" test_alone "$product"
  part "$product-installed" run_command "$product alone: installed files" compare_alone "$product"
done
# The folder still holds the programs of the last product.
part reconfigured run_command "a product after another: installed files" compare_alone "${all[0]}"
rm -rf "$alone_dir"

part all-build run_command "all products: build" build_products "$KPACK_BUILD_DIR" "${all[@]}"
part all-installed run_command "all products: installed files" compare_installed "$KPACK_BUILD_DIR" "${all[@]}"
suite_in_parts "$KPACK_BUILD_DIR" "all products"
