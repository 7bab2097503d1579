// Writes an entry that is right in all its parts and holds other code:
//   forge ENTRY DONOR OUT [MACHINE]
// The description of ENTRY, the payload of DONOR, with MACHINE in the ELF
// header. See docs/format/jit-cache.md, "Entry".
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

static std::string readFile(const char *Path) {
  std::ifstream In(Path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(In), {});
}

static uint64_t number(const std::string &Entry, size_t At) {
  uint64_t Value;
  std::memcpy(&Value, Entry.data() + Entry.size() - 64 + At, 8);
  return Value;
}

static void append(std::string &To, uint64_t Value) {
  To.append(reinterpret_cast<const char *>(&Value), 8);
}

int main(int Count, char **Words) {
  const std::string Entry = readFile(Words[1]), Donor = readFile(Words[2]);
  std::string New = Donor.substr(0, number(Donor, 8));
  const uint64_t PayloadSize = New.size();
  if (Count > 4)
    New[18] = static_cast<char>(std::atoi(Words[4])); // e_machine
  New.append((8 - New.size() % 8) % 8, '\0');
  const uint64_t InfoAt = New.size(), InfoSize = number(Entry, 24);
  New += Entry.substr(number(Entry, 16), InfoSize);
  append(New, 1); // schema
  append(New, PayloadSize);
  append(New, InfoAt);
  append(New, InfoSize);
  append(New, 0);
  XXH128_canonical_t Sum;
  XXH128_canonicalFromHash(&Sum, XXH3_128bits(New.data(), New.size()));
  New.append(reinterpret_cast<const char *>(Sum.digest), sizeof(Sum.digest));
  New += "KPACKJIT";
  std::ofstream(Words[3], std::ios::binary) << New;
}
