// A host source of the library: compiled as it is.
#include "fmha_fwd.h"

extern "C" __attribute__((visibility("default"))) float mha_fwd(int hdim, const char *type) {
  fmha_fwd_args a{};
  a.hdim_q = a.hdim_v = hdim;
  fmha_fwd_traits t{hdim, hdim, type, false, false, false, mask_enum::no_mask, bias_enum::no_bias, false};
  return fmha_fwd(t, a, minick::stream_config{});
}
