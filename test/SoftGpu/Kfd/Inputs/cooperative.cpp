// Cooperative launches of as many workgroups as the GPU is said to hold, and of
// more: grids that synchronize several times.
#include "check.h"

#include <cstdio>
#include <cstdlib>
// Its header uses what that one declares.
#include <hip/hip_cooperative_groups.h>
#include <vector>

const int Rounds = 5;
const unsigned Modulus = 1000003;

/// In each round every workgroup adds what all of them had added in the one
/// before.
__global__ void add(unsigned *Sums) {
  auto Grid = cooperative_groups::this_grid();
  for (int Round = 0; Round < Rounds; ++Round) {
    unsigned Before = Round ? atomicAdd(&Sums[Round - 1], 0u) : 1;
    if (threadIdx.x == 0)
      atomicAdd(&Sums[Round], Before % Modulus);
    Grid.sync();
  }
}

static hipError_t launch(unsigned Groups, int Block, unsigned *Sums) {
  void *Args[] = {&Sums};
  return hipLaunchCooperativeKernel(reinterpret_cast<void *>(add), dim3(Groups),
                                    dim3(Block), Args, 0, nullptr);
}

static bool isRight(const unsigned *Sums, unsigned Groups) {
  std::vector<unsigned> Got(Rounds);
  CHECK(hipMemcpy(Got.data(), Sums, Rounds * sizeof(unsigned),
                  hipMemcpyDeviceToHost));
  unsigned Expected = 1;
  for (unsigned Sum : Got)
    if (Sum != (Expected = Expected % Modulus * Groups))
      return false;
  return true;
}

int main() {
  hipDeviceProp_t Properties;
  CHECK(hipGetDeviceProperties(&Properties, 0));
  for (int Block : {64, 256, 1024}) {
    int PerUnit = 0;
    CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&PerUnit, add, Block, 0));
    unsigned Most = PerUnit * Properties.multiProcessorCount;
    unsigned *Sums;
    CHECK(hipMalloc(&Sums, Rounds * sizeof(unsigned)));
    CHECK(hipMemset(Sums, 0, Rounds * sizeof(unsigned)));
    CHECK(launch(Most, Block, Sums));
    CHECK(hipDeviceSynchronize());
    std::printf("%u workgroups of %d: %s, one more: %s\n", Most, Block,
                isRight(Sums, Most) ? "right" : "wrong",
                hipGetErrorString(launch(Most + 1, Block, Sums)));
    CHECK(hipFree(Sums));
  }
}
