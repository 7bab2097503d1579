/* plan version: prints the library's version.
 * plan DEVICE: what a program in C does with a convolution of 2 x 3 x 5 x 5
 * with 4 filters of 3 x 3: all that a plan says, a call, a choice that is
 * stored, errors. DEVICE is "cpu", or "gpu", whose memory is HIP's. Links:
 * -lkpack_conv. */
#include "kpack/ConvBuilder/CApi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WITH_HIP
extern int hipMalloc(void **memory, size_t bytes);
extern int hipMemcpy(void *to, const void *from, size_t bytes, int way);
extern int hipMemset(void *memory, int byte, size_t bytes);
extern int hipDeviceSynchronize(void);
extern int hipStreamCreate(void **stream);
extern int hipStreamSynchronize(void *stream);
extern int hipStreamDestroy(void *stream);
extern int hipStreamBeginCapture(void *stream, int mode);
extern int hipStreamEndCapture(void *stream, void **graph);
extern int hipGraphGetNodes(void *graph, void **nodes, size_t *count);
extern int hipGraphInstantiate(void **executable, void *graph, void **node,
                               char *log, size_t bytes);
extern int hipGraphLaunch(void *executable, void *stream);
extern int hipGraphExecDestroy(void *executable);
extern int hipGraphDestroy(void *graph);
extern const char *hipGetErrorName(int code);
#endif

enum { N = 2, C = 3, H = 5, W = 5, K = 4, Y = 3, X = 3, P = 3, Q = 3 };

static const char signature[] = "{spatial_dim=2,data_type=FP32}";
static const char problem[] = "{batch=2,c=3,k=4,image=[5,5],filter=[3,3]}";

static float input[N * H * W * C], weight[K * Y * X * C], output[N * P * Q * K];

static void fail(const char *what) {
  printf("%s: %s\n", what, kpack_conv_last_error());
  exit(1);
}

/* Channels last. */
static float expected(int n, int p, int q, int k) {
  float sum = 0;
  int y, x, c;
  for (y = 0; y < Y; ++y)
    for (x = 0; x < X; ++x)
      for (c = 0; c < C; ++c)
        sum += input[((n * H + p + y) * W + q + x) * C + c] *
               weight[((k * Y + y) * X + x) * C + c];
  return sum;
}

static int wrong(void) {
  int n, p, q, k, count = 0;
  for (n = 0; n < N; ++n)
    for (p = 0; p < P; ++p)
      for (q = 0; q < Q; ++q)
        for (k = 0; k < K; ++k)
          count +=
              output[((n * P + p) * Q + q) * K + k] != expected(n, p, q, k);
  return count;
}

/* Arguments of a call, with an output of zeros. */
static void prepare_args(const kpack_conv_plan_t *plan, kpack_conv_args *args) {
  args->size = sizeof(*args);
  if (kpack_conv_args_init(plan, args))
    fail("args");
  memset(output, 0, sizeof(output));
#ifdef WITH_HIP
  hipMalloc(&args->input.data, sizeof(input));
  hipMalloc(&args->weight.data, sizeof(weight));
  hipMalloc(&args->output.data, sizeof(output));
  hipMemcpy(args->input.data, input, sizeof(input), 1);
  hipMemcpy(args->weight.data, weight, sizeof(weight), 1);
  hipMemcpy(args->output.data, output, sizeof(output), 1);
  hipMalloc(&args->workspace,
            kpack_conv_workspace(plan, kpack_conv_selected(plan)));
#else
  args->input.data = input;
  args->weight.data = weight;
  args->output.data = output;
#endif
}

static void run(const kpack_conv_plan_t *plan) {
  kpack_conv_args args;
  prepare_args(plan, &args);
  if (kpack_conv_run(plan, NULL, &args))
    fail("run");
#ifdef WITH_HIP
  hipDeviceSynchronize();
  hipMemcpy(output, args.output.data, sizeof(output), 2);
#endif
  printf("%d wrong\n", wrong());
}

/* A call of a plan that may not compile. */
static int pending(const kpack_conv_plan_t *plan) {
  kpack_conv_args args;
  args.size = sizeof(args);
  kpack_conv_args_init(plan, &args);
  return kpack_conv_run(plan, NULL, &args) == KPACK_CONV_PENDING;
}

static void show(kpack_conv_plan_t *plan, size_t index) {
  static const char *const states[] = {"aot", "cached", "cold"};
  printf("%s %s %d bytes, %s\n", kpack_conv_text(plan, index),
         states[kpack_conv_state(plan, index)],
         (int)kpack_conv_workspace(plan, index),
         kpack_conv_estimate(plan, index) > 0 ? "has an estimate" : "none");
}

static void tell(int status) {
  printf("%d %s\n", status, kpack_conv_last_error());
}

#ifdef WITH_HIP
static void hip(const char *call, int code) {
  if (code) {
    printf("%s: %s\n", call, hipGetErrorName(code));
    exit(1);
  }
}

/* The graph is launched twice, the second time with other values. Nothing runs
 * while it is captured, in which mode 0 lets HIP refuse what is not safe then
 * in any thread. */
static void run_in_graph(const kpack_conv_plan_t *plan) {
  kpack_conv_args args;
  void *stream, *graph, *executable;
  size_t nodes = 0, i;
  int launch;
  prepare_args(plan, &args);
  hip("stream", hipStreamCreate(&stream));
  hip("begin", hipStreamBeginCapture(stream, 0));
  if (kpack_conv_run(plan, stream, &args))
    fail("run");
  hip("end", hipStreamEndCapture(stream, &graph));
  hip("nodes", hipGraphGetNodes(graph, NULL, &nodes));
  hip("sync", hipDeviceSynchronize());
  hip("copy", hipMemcpy(output, args.output.data, sizeof(output), 2));
  for (i = 0; i < sizeof(output) / sizeof(*output) && output[i] == 0; ++i)
    ;
  printf("graph of %d nodes, %s\n", (int)nodes,
         i == sizeof(output) / sizeof(*output) ? "nothing has run"
                                               : "something has run");
  hip("instantiate", hipGraphInstantiate(&executable, graph, NULL, NULL, 0));
  for (launch = 0; launch < 2; ++launch) {
    hip("launch", hipGraphLaunch(executable, stream));
    hip("sync", hipStreamSynchronize(stream));
    hip("copy", hipMemcpy(output, args.output.data, sizeof(output), 2));
    printf("%d wrong\n", wrong());
    for (i = 0; i < sizeof(input) / sizeof(*input); ++i)
      input[i] = 1 - input[i];
    hip("copy", hipMemcpy(args.input.data, input, sizeof(input), 1));
    hip("set", hipMemset(args.output.data, 0, sizeof(output)));
  }
  hipGraphExecDestroy(executable);
  hipGraphDestroy(graph);
  hipStreamDestroy(stream);
}

static int without_workspace(const kpack_conv_plan_t *plan) {
  kpack_conv_args args;
  args.size = sizeof(args);
  kpack_conv_args_init(plan, &args);
  return kpack_conv_run(plan, NULL, &args);
}
#else
/* What is wrong is told, and nothing is written. */
static void errors(kpack_conv_context *context, kpack_conv_plan_t *plan) {
  kpack_conv_plan_t *none = NULL;
  kpack_conv_plan_options options;
  kpack_conv_args args;
  tell(kpack_conv_plan(context, "{spatial_dm=2}", problem, NULL, &none));
  tell(kpack_conv_plan(context, signature, "{c=3,k=4,image=[2,2],filter=[3,3]}",
                       NULL, &none));
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.cold = 9;
  tell(kpack_conv_plan(context, signature, problem, &options, &none));
  options.size = sizeof(options.size) + 4; /* in the middle of a member */
  tell(kpack_conv_plan(context, signature, problem, &options, &none));
  tell(kpack_conv_select(plan, "{kind=DIRECT,block_size=2000}"));
  tell(kpack_conv_prepare(plan, 99999));
  memset(&args, 0, sizeof(args));
  args.size = sizeof(args);
  args.output.dynamic = -1;
  tell(kpack_conv_run(plan, NULL, &args));
  printf("none: %d %d %d %d %d\n", none == NULL,
         kpack_conv_text(plan, 99999) == NULL,
         kpack_conv_state(plan, 99999) == KPACK_CONV_NONE,
         kpack_conv_count(NULL) == 0, kpack_conv_refusal(plan, 99999) == NULL);
  kpack_conv_release(NULL);
  kpack_conv_context_destroy(NULL);
}

#endif

int main(int count, char **words) {
  kpack_conv_context_options where;
  kpack_conv_plan_options how;
  kpack_conv_context *context;
  kpack_conv_plan_t *plan;
  char text[4096];
  size_t i, at;
  if (count != 2)
    return 2;
  if (strcmp(words[1], "version") == 0)
    return puts(kpack_conv_version()) < 0;
  for (i = 0; i < sizeof(input) / sizeof(*input); ++i)
    input[i] = (float)(i * 7 % 5) - 2;
  for (i = 0; i < sizeof(weight) / sizeof(*weight); ++i)
    weight[i] = (float)(i * 3 % 5) - 2;
  memset(&where, 0, sizeof(where));
  where.size = sizeof(where);
  where.device = strcmp(words[1], "gpu") ? words[1] : NULL;
  if (kpack_conv_context_create(&where, &context))
    fail("context");
  memset(&how, 0, sizeof(how));
  how.size = sizeof(how);
  how.algorithm = "{kind=DIRECT,isa=VALU,block_size=64}";
  if (kpack_conv_plan(context, signature, problem, &how, &plan))
    fail("plan");
  printf("%s: %d candidates\n", kpack_conv_context_processor(context),
         (int)kpack_conv_count(plan));
  show(plan, 0);
  run(plan);
  show(plan, 0);
  strcpy(text, kpack_conv_text(plan, 0));
  kpack_conv_release(plan);

  /* Another plan takes the choice, and does not compile. */
  how.algorithm = NULL;
  how.cold = KPACK_CONV_FAIL;
  if (kpack_conv_plan(context, signature, problem, &how, &plan) ||
      kpack_conv_select(plan, text))
    fail("plan");
  at = kpack_conv_selected(plan);
  printf("selected: %s\n", kpack_conv_text(plan, at));
  run(plan);
#ifdef WITH_HIP
  run_in_graph(plan);
#endif
  if (kpack_conv_select(plan, "{kind=DIRECT,isa=VALU,block_size=128}"))
    fail("select");
  at = kpack_conv_selected(plan);
  if (kpack_conv_state(plan, at) == KPACK_CONV_COLD)
    printf("pending: %d\n", pending(plan));
  if (kpack_conv_prepare(plan, kpack_conv_selected(plan)) ||
      kpack_conv_wait(plan))
    fail("prepare");
  run(plan);
#ifdef WITH_HIP
  /* Two kernels, and memory between them. */
  if (kpack_conv_select(
          plan, "{kind=IMPLICIT_GEMM,isa=VALU,split={k_batch=2,two_stage=1}}"))
    fail("select");
  at = kpack_conv_selected(plan);
  if (kpack_conv_prepare(plan, at))
    fail("prepare");
  show(plan, at);
  tell(without_workspace(plan));
  run(plan);
  run_in_graph(plan);
#else
  errors(context, plan);
#endif
  kpack_conv_release(plan);
  kpack_conv_context_destroy(context);
  return 0;
}
