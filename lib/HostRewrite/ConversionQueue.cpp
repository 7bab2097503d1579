//===- ConversionQueue.cpp - parallel conversions, in order ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ConversionQueue.h.
//
//===----------------------------------------------------------------------===//
#include "ConversionQueue.h"

using namespace llvm;

namespace kpack::hostrewrite {

ConversionQueue::~ConversionQueue() {
  IsDropped = true;
  for (Job &J : Jobs)
    J.Written.wait();
}

Error ConversionQueue::add(std::unique_ptr<StartedConversion> File,
                           DoneFunction OnDone) {
  // Each job has its input mapped. While the oldest file, which may be large,
  // is waited for, each thread has another one to work on.
  while (Jobs.size() >= 2 * size_t(Workers->count()))
    if (Error E = finishOldest())
      return E;
  auto Task =
      std::make_shared<std::packaged_task<void()>>([this, Work = File.get()] {
        if (!IsDropped)
          Work->write();
      });
  Jobs.push_back({std::move(File), std::move(OnDone), Task->get_future()});
  Workers->run([Task] { (*Task)(); });
  return Error::success();
}

Error ConversionQueue::finishOldest() {
  Jobs.front().Written.wait();
  Job Oldest = std::move(Jobs.front());
  Jobs.pop_front();
  return Oldest.OnDone(Oldest.File->commit());
}

Error ConversionQueue::finish() {
  while (!Jobs.empty())
    if (Error E = finishOldest())
      return E;
  return Error::success();
}

} // namespace kpack::hostrewrite
