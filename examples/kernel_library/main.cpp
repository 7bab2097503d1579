// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A client: transforms of several lengths and both precisions, each compared
// with the same sum on the CPU. It knows nothing of HIP or of archives.
#include "fft.h"

#include <cmath>
#include <cstdio>

template <typename Real>
static bool check(fft::Library &Library, int Length, Real Tolerance) {
  const int Batch = 5;
  std::vector<std::complex<Real>> In, Out;
  for (int I = 0; I != Batch * Length; ++I)
    In.push_back({Real((I * 37) % 11) - 5, Real((I * 53) % 7) - 3});
  std::string Error;
  if (!Library.transform(In, Length, Out, Error)) {
    std::printf("length %d: %s\n", Length, Error.c_str());
    return false;
  }
  Real Worst = 0;
  for (int I = 0; I != Batch * Length; ++I) {
    std::complex<double> Sum = 0;
    for (int K = 0; K != Length; ++K)
      Sum += std::complex<double>(In[I / Length * Length + K]) *
             std::polar(1.0, -2 * M_PI * ((I % Length) * K % Length) / Length);
    Worst = std::max(Worst, Real(std::abs(Sum - std::complex<double>(Out[I]))));
  }
  std::printf("length %d, %zu-byte numbers: %s\n", Length, sizeof(Real),
              Worst < Tolerance ? "right" : "wrong");
  return Worst < Tolerance;
}

int main() {
  std::string Error;
  std::unique_ptr<fft::Library> Library = fft::Library::create(12000, Error);
  if (!Library) {
    std::printf("%s\n", Error.c_str());
    return 0; // no GPU here: the program starts, which is all it can do
  }
  bool Good = true;
  for (int Round = 0; Round != 2; ++Round)
    for (int Length : {8, 16, 30}) {
      Good = check<float>(*Library, Length, 1e-3f) && Good;
      Good = check<double>(*Library, Length, 1e-10) && Good;
    }
  std::printf("%s\n", Library->statistics().c_str());
  return Good ? 0 : 1;
}
