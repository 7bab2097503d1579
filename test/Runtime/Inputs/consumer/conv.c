/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A plan that is made and released, in a program outside of kpack's tree. */
#include <kpack/ConvBuilder/CApi.h>

#include <stdio.h>

int main(void) {
  kpack_conv_context_options options = {sizeof(options), "cpu", NULL, NULL, NULL};
  kpack_conv_context *context;
  kpack_conv_plan_t *plan;
  if (kpack_conv_context_create(&options, &context) ||
      kpack_conv_plan(context, "{spatial_dim=1,data_type=FP32}",
                      "{c=2,k=2,image=[4],filter=[3]}", NULL, &plan)) {
    printf("%s\n", kpack_conv_last_error());
    return 1;
  }
  printf("conv in C: %s\n", kpack_conv_text(plan, 0));
  kpack_conv_release(plan);
  kpack_conv_context_destroy(context);
  return 0;
}
