// A host source of the library: compiled as it is.
#include "fmha_bwd.h"

extern "C" __attribute__((visibility("default"))) float mha_bwd(int hdim, const char *type) {
  fmha_bwd_args a{};
  a.hdim_q = a.hdim_v = hdim;
  fmha_bwd_traits t{hdim, hdim, type, false, mask_enum::no_mask, bias_enum::no_bias, false};
  return fmha_bwd(t, a, minick::stream_config{});
}
