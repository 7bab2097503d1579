// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pack ARCHIVE [KEY TARGET FILE]...: an archive of code objects under keys of
// the library's own choice.
#include "kpack/Archive/ArchiveWriter.h"

#include <cstdio>
#include <fstream>
#include <iterator>

int main(int Count, char **Arguments) {
  if (Count < 2 || Count % 3 != 2) {
    std::fprintf(stderr, "usage: pack ARCHIVE [KEY TARGET FILE]...\n");
    return 1;
  }
  kpack::ArchiveWriterOptions Options;
  Options.GroupName = "fft";
  auto Writer = kpack::ArchiveWriter::create(Arguments[1], Options);
  kpack::Status Status = Writer.status();
  for (int I = 2; I < Count && Status.ok(); I += 3) {
    std::ifstream In(Arguments[I + 2], std::ios::binary);
    std::string Bytes(std::istreambuf_iterator<char>(In), {});
    Status =
        In ? (*Writer)->add(Arguments[I], Arguments[I + 1], Bytes)
           : kpack::Status(kpack::StatusCode::IoError,
                           std::string(Arguments[I + 2]) + ": cannot be read");
  }
  if (Status.ok())
    Status = (*Writer)->commit();
  if (!Status.ok())
    std::fprintf(stderr, "pack: error: %s\n", Status.message().c_str());
  return Status.ok() ? 0 : 1;
}
