//===- FormattedBuffersTest.cpp - tests of formatted buffers --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which format a resource's number or an instruction's name means (LLVM is
// asked), what becomes of its numbers, selectors, halves, bounds, and what is
// refused. test/SoftGpu/formatted.hip has compiled kernels on all targets.
//
//===----------------------------------------------------------------------===//
#include "Assembler.h"
#include "MemoryFixture.h"

#include <cmath>
#include <limits>

using namespace kpack::softgpu;

namespace {

constexpr uint32_t Identity = 4 | 5 << 3 | 6 << 6 | 7 << 9;
constexpr uint32_t Raw = 3u << 28; ///< bounds in bytes, gfx10 and later

class FormattedBuffersTest : public MemoryFixture {
protected:
  /// An instruction of one lane over all of the store. \p Format: bits 12 and
  /// up of the resource's last dword.
  void startFormat(const char *Processor, uint32_t Format,
                   uint32_t Selectors = Identity) {
    start(Processor);
    W.setExec(1);
    setBuffer(global(), StoreBytes, 0,
              (Isa.isGfx9() ? 0 : Raw) | Format << 12 | Selectors);
  }
  void put(std::initializer_list<uint32_t> Words) {
    std::memcpy(&Store[0], Words.begin(), 4 * Words.size());
  }
  std::vector<uint32_t> loaded(const char *Text, unsigned Count) {
    run(Text);
    std::vector<uint32_t> Result;
    for (unsigned N = 0; N < Count; ++N)
      Result.push_back(v(20 + N));
    return Result;
  }
};

using Words = std::vector<uint32_t>;
uint32_t f(float Value) { return std::bit_cast<uint32_t>(Value); }

/// Format \p Number of a tbuffer instruction, as LLVM prints it; null: none.
std::optional<BufferFormat> formatOfInstruction(const char *Processor,
                                                Decoder &D, unsigned Number) {
  const bool Gfx12 = llvm::StringRef(Processor).starts_with("gfx12");
  std::string Text = std::string("tbuffer_load_format_x v1, off, s[8:11], ") +
                     (Gfx12 ? "null" : "0") +
                     " format:" + std::to_string(Number);
  auto I = D.decode(assemble(Processor, Text), 0x1000);
  if (I)
    return (*I)->Format;
  llvm::consumeError(I.takeError());
  return std::nullopt;
}

TEST_F(FormattedBuffersTest, NumbersOfFormatsAreThoseOfLlvm) {
  for (const char *Processor :
       {"gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"}) {
    use(Processor);
    auto D = Decoder::create(Isa, Isa.isGfx9(), machineSemantics());
    ASSERT_TRUE(bool(D));
    unsigned Known = 0;
    for (unsigned N = 0; N < (Isa.isGfx11Plus() ? 64 : 128); ++N) {
      SCOPED_TRACE(Processor + std::string(" format ") + std::to_string(N));
      // The instruction has data format, then number format.
      unsigned Field = Isa.isGfx9() ? N >> 4 | (N & 15) << 3 : N;
      auto Resource = BufferFormat::ofResource(Isa, Field << 12);
      auto Printed = formatOfInstruction(Processor, **D, N);
      ASSERT_EQ(Resource.has_value(), Printed.has_value());
      if (!Resource)
        continue;
      ++Known;
      EXPECT_EQ(Resource->number(), Printed->number());
      ASSERT_EQ(Resource->components(), Printed->components());
      for (unsigned C = 0; C < Resource->components(); ++C)
        EXPECT_EQ(Resource->bits(C), Printed->bits(C));
    }
    EXPECT_EQ(Known, Isa.isGfx11Plus() ? 63u : 77u) << Processor;
  }
}

struct LoadCase {
  const char *Format;
  std::initializer_list<uint32_t> Memory;
  Words Expected; ///< x, y, z, w
};

TEST_F(FormattedBuffersTest, LoadsOfEveryLayoutAndNumber) {
  const float Inf = std::numeric_limits<float>::infinity();
  const LoadCase Cases[] = {
      {"8_UNORM", {0xffffff33}, {f(0.2f), 0, 0, 0}},
      {"8_SNORM", {0x80}, {f(-1), 0, 0, 0}},
      {"8_SNORM", {0x81}, {f(-1), 0, 0, 0}},
      {"8_SNORM", {0x40}, {f(64.0f / 127), 0, 0, 0}},
      {"8_USCALED", {0xff}, {f(255), 0, 0, 0}},
      {"8_SSCALED", {0xff}, {f(-1), 0, 0, 0}},
      {"8_UINT", {0xffffffff}, {255, 0, 0, 0}},
      {"8_SINT", {0xfe}, {~1u, 0, 0, 0}},
      {"16_UNORM", {0xffff}, {f(1), 0, 0, 0}},
      {"16_FLOAT", {0xc000}, {f(-2), 0, 0, 0}},
      {"16_FLOAT", {1}, {f(0x1p-24f), 0, 0, 0}},
      {"8_8_UINT", {0x1234}, {0x34, 0x12, 0, 0}},
      {"32_UINT", {0x89abcdef}, {0x89abcdef, 0, 0, 0}},
      {"32_FLOAT", {0x7f800001}, {0x7f800001, 0, 0, 0}},
      {"16_16_SINT", {0x8000ffff}, {~0u, 0xffff8000, 0, 0}},
      {"10_11_11_FLOAT",
       {15u << 6 | (16u << 6 | 32) << 11 | 0x1eu << 5 << 22},
       {f(1), f(3), f(32768), 0}},
      {"11_11_10_FLOAT",
       {15u << 5 | 0x7c0u << 10 | 1u << 21},
       {f(1), f(Inf), f(0x1p-20f), 0}},
      {"10_10_10_2_UINT", {2 | 3u << 2 | 4u << 12 | 5u << 22}, {2, 3, 4, 5}},
      {"2_10_10_10_UINT", {1 | 2u << 10 | 3u << 20 | 2u << 30}, {1, 2, 3, 2}},
      {"2_10_10_10_SNORM",
       {0x200 | 0x1ffu << 10 | 2u << 30},
       {f(-1), f(1), f(0), f(-1)}},
      {"8_8_8_8_UNORM", {0xff330000}, {0, 0, f(0.2f), f(1)}},
      {"32_32_SINT", {1, ~0u}, {1, ~0u, 0, 0}},
      {"16_16_16_16_SSCALED",
       {0x7fff8000, 0x0001ffff},
       {f(-32768), f(32767), f(-1), f(1)}},
      {"32_32_32_FLOAT", {f(1), f(2), f(3), f(4)}, {f(1), f(2), f(3), 0}},
      {"32_32_32_32_UINT", {1, 2, 3, 4}, {1, 2, 3, 4}},
  };
  for (const LoadCase &C : Cases) {
    startFormat("gfx1100", 0, /*Selectors=*/0);
    put(C.Memory);
    std::string Text = std::string("tbuffer_load_format_xyzw v[20:23], off, "
                                   "s[8:11], 0 format:[BUF_FMT_") +
                       C.Format + "]";
    EXPECT_EQ(loaded(Text.c_str(), 4), C.Expected) << Text;
  }
}

struct StoreCase {
  const char *Format;
  std::initializer_list<uint32_t> Value;
  Words Memory; ///< what is left is unchanged
};

TEST_F(FormattedBuffersTest, StoresOfEveryLayoutAndNumber) {
  const float Inf = std::numeric_limits<float>::infinity();
  const float Nan = std::numeric_limits<float>::quiet_NaN();
  constexpr uint32_t Rest = 0x55555555;
  const StoreCase Cases[] = {
      {"8_UNORM", {f(0.2f), 0, 0, 0}, {0x55555533}},
      {"8_UNORM", {f(7), 0, 0, 0}, {0x555555ff}},
      {"8_UNORM", {f(Nan), 0, 0, 0}, {0x55555500}},
      {"8_UNORM", {f(0.5f), 0, 0, 0}, {0x55555580}}, // 127.5, to even
      {"8_SNORM", {f(-3), 0, 0, 0}, {0x55555581}},
      {"8_USCALED", {f(3.9f), 0, 0, 0}, {0x55555503}},
      {"8_SSCALED", {f(-3.9f), 0, 0, 0}, {0x555555fd}},
      {"8_UINT", {300, 0, 0, 0}, {0x555555ff}},
      {"8_SINT", {uint32_t(-300), 0, 0, 0}, {0x55555580}},
      {"32_SINT", {0x80000000, 0, 0, 0}, {0x80000000}},
      {"32_UINT", {0xfffffffe, 0, 0, 0}, {0xfffffffe}},
      {"16_FLOAT", {f(65520), 0, 0, 0}, {0x55557c00}},
      {"16_16_FLOAT", {f(-2), f(0x1p-24f), 0, 0}, {0x0001c000}},
      {"10_11_11_FLOAT",
       {f(1), f(-1), f(Inf), 0},
       {15u << 6 | 0x1fu << 5 << 22}},
      {"11_11_10_FLOAT",
       {f(1e30f), f(Nan), f(3), 0},
       {0x1fu << 5 | (0x7c0u | 0x20) << 10 | (16u << 6 | 32) << 21}},
      {"2_10_10_10_UINT", {1, 2, 9999, 7}, {1 | 2u << 10 | 0xffffffffu << 20}},
      {"32_32_32_FLOAT", {f(1), f(2), f(3), f(4)}, {f(1), f(2), f(3), Rest}},
      {"16_16_16_16_UINT", {1, 2, 3, 4}, {0x00020001, 0x00040003, Rest}},
  };
  for (const StoreCase &C : Cases) {
    startFormat("gfx1100", 0);
    put({Rest, Rest, Rest, Rest, Rest});
    for (unsigned N = 0; N < 4; ++N)
      v(20 + N) = C.Value.begin()[N];
    std::string Text = std::string("tbuffer_store_format_xyzw v[20:23], off, "
                                   "s[8:11], 0 format:[BUF_FMT_") +
                       C.Format + "]";
    run(Text.c_str());
    for (unsigned N = 0; N < C.Memory.size(); ++N)
      EXPECT_EQ(at<uint32_t>(4 * N), C.Memory[N]) << Text << " word " << N;
  }
}

TEST_F(FormattedBuffersTest, SelectorsOfTheResource) {
  // 8_8_8_8 uint, as each generation numbers it: w, 0, 1, x.
  const std::pair<const char *, uint32_t> Targets[] = {
      {"gfx90a", 10 << 3 | 4}, {"gfx1030", 60}, {"gfx1201", 46}};
  for (auto [Processor, Format] : Targets) {
    SCOPED_TRACE(Processor);
    startFormat(Processor, Format, 7 | 0 << 3 | 1 << 6 | 4 << 9);
    put({0x44332211});
    EXPECT_EQ(loaded("buffer_load_format_xyzw v[20:23], off, s[8:11], 0", 4),
              Words({0x44, 0, 1, 0x11}));
    // Out of bounds only the 1 is left.
    EXPECT_EQ(loaded("buffer_load_format_xyzw v[20:23], off, s[8:11], 0 "
                     "offset:4093",
                     4),
              Words({0, 0, 1, 0}));
  }
}

TEST_F(FormattedBuffersTest, MissingComponentsHaveDefaults) {
  startFormat("gfx90a", 4 << 3 | 7); // 32 float
  put({f(2.5f)});
  EXPECT_EQ(loaded("buffer_load_format_xyzw v[20:23], off, s[8:11], 0", 4),
            Words({f(2.5f), 0, 0, f(1)}));
  startFormat("gfx1030", 20); // 32 uint
  put({7});
  EXPECT_EQ(loaded("buffer_load_format_xyzw v[20:23], off, s[8:11], 0", 4),
            Words({7, 0, 0, 1}));
}

TEST_F(FormattedBuffersTest, StoreOfFewerComponentsFillsTheRest) {
  for (const char *Processor : {"gfx1100", "gfx1201"}) {
    startFormat(Processor, 46); // 8_8_8_8 uint
    v(20) = 0x12, v(21) = 0x34;
    run("buffer_store_format_xy v[20:21], off, s[8:11], 0");
    EXPECT_EQ(at<uint32_t>(0), Isa.isGfx12Plus() ? 0x12123412u : 0x3412u);
  }
}

TEST_F(FormattedBuffersTest, HalvesArePackedAndLeaveTheirNeighbour) {
  const std::pair<const char *, uint32_t> Targets[] = {
      {"gfx90a", 12 << 3 | 7}, {"gfx1030", 71}, {"gfx1100", 57}};
  for (auto [Processor, Format] : Targets) {
    SCOPED_TRACE(Processor);
    startFormat(Processor, Format); // 16_16_16_16 float
    const bool New = Isa.isGfx11Plus();
    put({0x22221111, 0x44443333});
    v(21) = v(22) = v(23) = 0xabcdabcd;
    run(New ? "buffer_load_d16_format_xyz v[20:21], off, s[8:11], 0"
            : "buffer_load_format_d16_xyz v[20:21], off, s[8:11], 0");
    const uint32_t Rest = Isa.hasSramEcc() ? 0 : 0xabcd;
    EXPECT_EQ(v(20), 0x22221111u);
    EXPECT_EQ(v(21), Rest << 16 | 0x3333);
    run(New ? "buffer_load_d16_hi_format_x v22, off, s[8:11], 0"
            : "buffer_load_format_d16_hi_x v22, off, s[8:11], 0");
    EXPECT_EQ(v(22), 0x11110000u | Rest);
    v(20) = 0xbbbbaaaa, v(21) = 0xddddcccc;
    run(New ? "buffer_store_d16_format_xyzw v[20:21], off, s[8:11], 0"
            : "buffer_store_format_d16_xyzw v[20:21], off, s[8:11], 0");
    EXPECT_EQ(at<uint32_t>(0), 0xbbbbaaaau);
    EXPECT_EQ(at<uint32_t>(4), 0xddddccccu);
    run(New ? "buffer_store_d16_hi_format_x v20, off, s[8:11], 0 offset:8"
            : "buffer_store_format_d16_hi_x v20, off, s[8:11], 0 offset:8");
    EXPECT_EQ(at<uint16_t>(8), 0xbbbb);
  }
}

TEST_F(FormattedBuffersTest, HalvesOfOtherFormats) {
  startFormat("gfx1030", 0);
  put({0x00ff33fe});
  run("tbuffer_load_format_d16_xy v[20:20], off, s[8:11], 0 "
      "format:[BUF_FMT_8_8_SINT]");
  EXPECT_EQ(v(20), 0x0033fffeu);
  run("tbuffer_load_format_d16_xy v[20:20], off, s[8:11], 0 "
      "format:[BUF_FMT_8_8_UNORM] offset:1");
  EXPECT_EQ(v(20), 0x3c003266u); // 51/255, 1
  v(20) = 0x3c00ffff;            // 1.0, and -1 or 65535
  run("tbuffer_store_format_d16_x v20, off, s[8:11], 0 "
      "format:[BUF_FMT_8_SINT]");
  EXPECT_EQ(Store[0], 0xff);
  run("tbuffer_store_format_d16_x v20, off, s[8:11], 0 "
      "format:[BUF_FMT_8_UINT]");
  EXPECT_EQ(Store[0], 0xff);
  v(20) = 0x3800; // 0.5
  run("tbuffer_store_format_d16_x v20, off, s[8:11], 0 "
      "format:[BUF_FMT_32_FLOAT]");
  EXPECT_EQ(at<uint32_t>(0), f(0.5f));
}

TEST_F(FormattedBuffersTest, AddressesAndBoundsOfElements) {
  start("gfx90a");
  // A texture iterator's: 8 records of one 16_16 float each.
  setBuffer(global(), 8, 4, (5 << 3 | 7) << 12 | Identity);
  for (unsigned Lane = 0; Lane < 64; ++Lane) {
    v(1, Lane) = Lane;
    std::memcpy(&Store[4 * Lane], "\x00\x3c\x00\x40", 4);
  }
  const std::vector<uint8_t> Before = Store;
  run("buffer_load_format_xy v[20:21], v1, s[8:11], 0 idxen");
  for (unsigned Lane = 0; Lane < 64; ++Lane) {
    EXPECT_EQ(v(20, Lane), Lane < 8 ? f(1) : 0);
    EXPECT_EQ(v(21, Lane), Lane < 8 ? f(2) : 0);
  }
  // In bytes: an element of which a part is outside is outside.
  setBuffer(global(), 6, 0, (5 << 3 | 7) << 12 | Identity);
  W.setExec(1);
  EXPECT_EQ(
      loaded("buffer_load_format_xy v[20:21], off, s[8:11], 0 offset:4", 2),
      Words({0, 0}));
  run("buffer_store_format_xy v[20:21], off, s[8:11], 0 offset:4");
  EXPECT_EQ(Store, Before);
}

struct Refusal {
  const char *Processor;
  uint32_t Format, Selectors;
  const char *Text, *Detail;
};

TEST_F(FormattedBuffersTest, UnsupportedFormatsAreRefused) {
  const Refusal Cases[] = {
      {"gfx90a", 0, Identity, "buffer_load_format_x v20, off, s[8:11], 0",
       "a resource without a format, whose last dword is 0xfac"},
      {"gfx90a", 1 << 3 | 7, Identity,
       "buffer_load_format_x v20, off, s[8:11], 0", "without a format"},
      {"gfx1030", 78, Identity, "buffer_load_format_x v20, off, s[8:11], 0",
       "without a format"},
      {"gfx1030", 20, 2, "buffer_load_format_x v20, off, s[8:11], 0",
       "the reserved selector 2"},
      {"gfx1030", 62, 5 | 4 << 3,
       "buffer_store_format_xy v[20:21], off, s[8:11], 0",
       "changes the order of components"},
      {"gfx1030", 20, Identity, "buffer_load_format_d16_x v20, off, s[8:11], 0",
       "D16 of 32-bit integers"},
  };
  for (const Refusal &C : Cases) {
    startFormat(C.Processor, C.Format, C.Selectors);
    execute(C.Text);
    ASSERT_TRUE(W.Failure) << C.Detail;
    EXPECT_EQ(W.Failure->What, Fault::Kind::UnknownInstruction);
    EXPECT_NE(W.Failure->Detail.find(C.Detail), std::string::npos)
        << W.Failure->Detail;
  }
  EXPECT_NE(refusal("tbuffer_load_format_x v1, off, s[8:11], 0 format:78"), "");
  EXPECT_NE(refusal("buffer_load_format_x v[1:2], off, s[8:11], 0 tfe"), "");
  EXPECT_NE(refusal("buffer_load_format_x off, s[8:11], 0 lds"), "");
}

} // namespace
