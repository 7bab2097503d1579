// All of unittests/ConvBuilder/RequirementCases.def in one translation unit: each
// stops the compilation with its message.
#include "kpack/ConvBuilder/CompileTimeError.h"
#include "kpack/ConvBuilder/ResolveAlgorithm.h"
#include "kpack/ConvBuilder/Text.h"

using namespace kpack::conv;

template <typename T> constexpr T read(std::string_view Text) {
  T Value;
  parseText(Text, Value);
  return Value;
}

constexpr Report resolved(std::string_view Sig, std::string_view Algo,
                          const char *Gpu) {
  return resolve(read<Signature>(Sig), read<Algorithm>(Algo), Gpu).Why;
}

constexpr Report ofProblem(std::string_view Sig, std::string_view Algo,
                           std::string_view Sizes) {
  Conditions Want;
  Want.WorkspaceLimit = 1 << 20;
  Want.Deterministic = true;
  return resolve(read<Signature>(Sig), read<Algorithm>(Algo), "gfx942",
                 read<Problem>(Sizes), Want)
      .Why;
}

constexpr Report ofVersion(std::string_view Version) {
  Conditions Want;
  Want.Version = Version;
  return validate({.spatial_dim = 2, .data_type = DataType::FP16}, Want);
}

#define SHOW_AS(NUMBER, REPORT)                                                \
  constexpr Report Report##NUMBER = REPORT;                                    \
  void show##NUMBER() { requireEmpty<Report##NUMBER>(); }
#define SHOW(NUMBER, REPORT) SHOW_AS(NUMBER, REPORT)

#define SIGNATURE(ID, BAD, GOOD, MESSAGE)                                      \
  SHOW(__COUNTER__, validate(read<Signature>(BAD)))
#define ALGORITHM(ID, GPU, SIGNATURE, BAD, GOOD, MESSAGE)                      \
  SHOW(__COUNTER__, resolved(SIGNATURE, BAD, GPU))
#define WHOLE(ID, GPU, SIGNATURE, BAD, GOOD, MESSAGE)                          \
  SHOW(__COUNTER__,                                                            \
       validate(read<Signature>(SIGNATURE), read<Algorithm>(BAD), GPU))
#define PROBLEM(ID, SIGNATURE, ALGORITHM, BAD, GOOD, MESSAGE)                  \
  SHOW(__COUNTER__, ofProblem(SIGNATURE, ALGORITHM, BAD))

#include "RequirementCases.def"

SHOW(__COUNTER__, ofVersion("7"))
