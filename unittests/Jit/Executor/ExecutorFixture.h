//===- ExecutorFixture.h - fixture: a cache for executor tests --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kpack/Jit/Executor.h as a program uses it, with a cache of its own in a
// folder that goes with the test; and processes that have a variable set.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_JIT_EXECUTOR_EXECUTORFIXTURE_H
#define KPACK_UNITTESTS_JIT_EXECUTOR_EXECUTORFIXTURE_H

#include "../TestFolder.h"

#include "kpack/Jit/Executor.h"

#include <sys/wait.h>
#include <unistd.h>

namespace kpack::jit::executortest {

namespace ex = kpack::jit::executors;

class ExecutorTest : public TestFolder {
protected:
  ExecutorTest() {
    ::setenv("KPACK_JIT_COMPILER", JIT_TEST_COMPILER, 1);
    Directory = Folder + "/cache";
    kpack_jit_cache_options Options{};
    Options.size = sizeof(Options);
    Options.directory = Directory.c_str();
    Options.compile_helper = JIT_TEST_HELPER;
    Options.on_event = [](const kpack_jit_event *, void *) {};
    EXPECT_EQ(kpack_jit_cache_open(&Options, &Opened), KPACK_JIT_SUCCESS);
  }
  ~ExecutorTest() override {
    kpack_jit_cache_close(Opened);
    ::unsetenv("KPACK_JIT_COMPILER");
  }

  ex::Options how(std::vector<ex::Constant> Constants = {}) const {
    return {.constants = std::move(Constants),
            .opt = ex::OptLevel::O1,
            .cache = ex::Cache(Opened)};
  }
  uint64_t compiles() const {
    kpack_jit_statistics Sum{};
    Sum.size = sizeof(Sum);
    EXPECT_EQ(kpack_jit_cache_get_statistics(Opened, &Sum), KPACK_JIT_SUCCESS);
    return Sum.compiles;
  }
  /// Its value, or why there is none.
  template <class T> static T &good(Result<T> &Outcome) {
    if (!Outcome.ok()) {
      ADD_FAILURE() << Outcome.status().message();
      std::abort();
    }
    return *Outcome;
  }

  std::string Directory;
  kpack_jit_cache *Opened = nullptr;
};

inline const ex::Source Add{.text = "int add(int b) { return a + b; }\n",
                            .entry = "add"};

/// What \p Body says in a process of its own, which has the variable.
inline std::string inChild(const char *Name, const char *Value, auto Body) {
  int Pipe[2];
  EXPECT_EQ(::pipe(Pipe), 0);
  pid_t Child = ::fork();
  if (Child == 0) {
    ::setenv(Name, Value, 1);
    std::string Said = Body();
    (void)!::write(Pipe[1], Said.data(), Said.size());
    ::_exit(0);
  }
  ::close(Pipe[1]);
  std::string Said;
  char Bytes[4096];
  for (ssize_t Size; (Size = ::read(Pipe[0], Bytes, sizeof(Bytes))) > 0;)
    Said.append(Bytes, size_t(Size));
  ::close(Pipe[0]);
  ::waitpid(Child, nullptr, 0);
  return Said;
}

} // namespace kpack::jit::executortest

#endif // KPACK_UNITTESTS_JIT_EXECUTOR_EXECUTORFIXTURE_H
