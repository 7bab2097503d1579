//===- registry.h - plain functions that fill a list ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each blob defines a plain function that adds its operations to a list; a
// factory calls those of a kind. No template is left undefined. One blob
// defines a variable, too: it cannot come late.
//
//===----------------------------------------------------------------------===//
#ifndef SHAPES_REGISTRY_H
#define SHAPES_REGISTRY_H

#include "shapes.h"

#include <memory>
#include <vector>

namespace shapes {

struct operation {
  virtual ~operation() = default;
  virtual std::string name() const = 0;
  virtual int run(const stream_config &S, data D) const = 0;
};
using operations = std::vector<std::unique_ptr<operation>>;

void add_scale_instances(operations &To);
void add_shift_instances(operations &To);
extern int default_factor;
int scale_by_default(const stream_config &S, data D);

template <int Kind> struct factory;
template <> struct factory<0> {
  static operations instances() {
    operations All;
    add_scale_instances(All);
    return All;
  }
};
template <> struct factory<1> {
  static operations instances() {
    operations All;
    add_shift_instances(All);
    return All;
  }
};

operations instances(int Kind);
int defaults(const stream_config &S, data D, int &Factor);
int call_c(data D);

} // namespace shapes

extern "C" int shapes_c_function(float *Values, int Count);

#endif // SHAPES_REGISTRY_H
