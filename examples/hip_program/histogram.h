// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the two files of kernels offer the program: plain C++, no HIP.
#pragma once
#include <cstdint>
#include <vector>

/// Counts of Values % Bins, computed on the device.
std::vector<uint32_t> histogram(const std::vector<uint32_t> &Values, int Bins);

/// Scales by the device constant Weights (Values[I] * Weights[I % 4]) and adds
/// all up, in blocks on two streams. \p T is uint32_t, uint64_t or double.
template <typename T> T weightedSum(const std::vector<T> &Values);

/// How many blocks of weightedSum() have run so far: a device variable.
uint32_t blocksRun();
