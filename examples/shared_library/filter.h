// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's interface: no HIP in it, the client is an ordinary C++ program.
#pragma once
#include <vector>

/// Every element becomes the sum of itself and its two neighbours; beyond the
/// ends are zeros. Computed on the first GPU.
std::vector<int> smooth(const std::vector<int> &Values);
