// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small FFT library whose kernels are in archives: see fft.cpp.
#ifndef KPACK_EXAMPLES_FFT_H
#define KPACK_EXAMPLES_FFT_H

#include <complex>
#include <memory>
#include <string>
#include <vector>

namespace fft {

class Library {
public:
  /// Kernels for the current device; at most \p KernelBytes of them are loaded
  /// at a time. Null, and why in \p Error, if there is no device or no archive.
  static std::unique_ptr<Library> create(std::size_t KernelBytes,
                                         std::string &Error);
  virtual ~Library() = default;

  /// Transforms of \p Length numbers each, one behind the other. False, and why
  /// in \p Error, if there is no kernel for it.
  virtual bool transform(const std::vector<std::complex<float>> &In, int Length,
                         std::vector<std::complex<float>> &Out,
                         std::string &Error) = 0;
  virtual bool transform(const std::vector<std::complex<double>> &In,
                         int Length, std::vector<std::complex<double>> &Out,
                         std::string &Error) = 0;

  virtual std::string statistics() const = 0;
};

} // namespace fft

#endif // KPACK_EXAMPLES_FFT_H
