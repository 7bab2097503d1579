//===- MemoryTest.cpp - tests of loads and stores in all spaces -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every size and extension in every address space and form of address, in both
// spellings; then what must be a fault. Expected registers and memories are
// put together byte by byte. LDS: LdsTest.cpp; atomics: AtomicsTest.cpp.
//
//===----------------------------------------------------------------------===//
#include "MemoryFixture.h"
#include <functional>

using namespace kpack::softgpu;

namespace {

/// How an element gets to its register.
enum class Into { Whole, Low, High };

struct Element {
  const char *Old; ///< of gfx9 and gfx10: after "global_load_"
  const char *New; ///< of gfx11 and later
  const char *Lds; ///< after "ds_read_" or "ds_load_"
  unsigned Bytes;
  bool Signed;
  Into Where = Into::Whole;
  unsigned dwords() const { return (Bytes + 3) / 4; }
};

constexpr Element LoadElements[] = {
    {"ubyte", "u8", "u8", 1, false},
    {"sbyte", "i8", "i8", 1, true},
    {"ushort", "u16", "u16", 2, false},
    {"sshort", "i16", "i16", 2, true},
    {"dword", "b32", "b32", 4, false},
    {"dwordx2", "b64", "b64", 8, false},
    {"dwordx3", "b96", "b96", 12, false},
    {"dwordx4", "b128", "b128", 16, false},
    {"ubyte_d16", "d16_u8", "u8_d16", 1, false, Into::Low},
    {"ubyte_d16_hi", "d16_hi_u8", "u8_d16_hi", 1, false, Into::High},
    {"sbyte_d16", "d16_i8", "i8_d16", 1, true, Into::Low},
    {"sbyte_d16_hi", "d16_hi_i8", "i8_d16_hi", 1, true, Into::High},
    {"short_d16", "d16_b16", "u16_d16", 2, false, Into::Low},
    {"short_d16_hi", "d16_hi_b16", "u16_d16_hi", 2, false, Into::High},
};

constexpr Element StoreElements[] = {
    {"byte", "b8", "b8", 1, false},
    {"short", "b16", "b16", 2, false},
    {"dword", "b32", "b32", 4, false},
    {"dwordx2", "b64", "b64", 8, false},
    {"dwordx3", "b96", "b96", 12, false},
    {"dwordx4", "b128", "b128", 16, false},
    {"byte_d16_hi", "d16_hi_b8", "b8_d16_hi", 1, false, Into::High},
    {"short_d16_hi", "d16_hi_b16", "b16_d16_hi", 2, false, Into::High},
};

/// One way to say where a lane's element is. Text: operands after the data (of
/// a load) with $ for the data of a store, as LLVM orders them.
struct Form {
  const char *Mnemonic; ///< "global_" ...
  const char *Load, *Store;
  enum { Global, Lds, Private } Where;
  /// Byte offset in its memory, from the lane's v2 and s6.
  unsigned (*Offset)(unsigned V2, unsigned S6);
};

constexpr unsigned justV(unsigned V2, unsigned) { return V2; }

constexpr Form Forms[] = {
    {"global_", "v[2:3], off", "v[2:3], $, off", Form::Global, justV},
    {"global_", "v[2:3], off offset:24", "v[2:3], $, off offset:24",
     Form::Global, [](unsigned V, unsigned) { return V + 24; }},
    {"global_", "v[2:3], off offset:-40", "v[2:3], $, off offset:-40",
     Form::Global, [](unsigned V, unsigned) { return V - 40; }},
    {"global_", "v4, s[12:13] offset:-8", "v4, $, s[12:13] offset:-8",
     Form::Global, [](unsigned V, unsigned) { return V - 8; }},
    {"flat_", "v[2:3]", "v[2:3], $", Form::Global, justV},
    {"flat_", "v[2:3] offset:12", "v[2:3], $ offset:12", Form::Global,
     [](unsigned V, unsigned) { return V + 12; }},
    {"flat_", "v[14:15] offset:4", "v[14:15], $ offset:4", Form::Lds,
     [](unsigned V, unsigned) { return V + 4; }},
    {"flat_", "v[16:17] offset:4", "v[16:17], $ offset:4", Form::Private,
     [](unsigned V, unsigned) { return V + 4; }},
    {"scratch_", "v4, off offset:4", "v4, $, off offset:4", Form::Private,
     [](unsigned V, unsigned) { return V + 4; }},
    {"scratch_", "off, s6 offset:-4", "off, $, s6 offset:-4", Form::Private,
     [](unsigned, unsigned S) { return S - 4; }},
    {"scratch_", "v4, s6", "v4, $, s6", Form::Private,
     [](unsigned V, unsigned S) { return V + S; }},
    {"scratch_", "off, off offset:16", "off, $, off offset:16", Form::Private,
     [](unsigned, unsigned) { return 16u; }},
    {"buffer_", "off, s[8:11], s6 offset:20", "$, off, s[8:11], s6 offset:20",
     Form::Global, [](unsigned, unsigned S) { return S + 20; }},
    {"buffer_", "v4, s[8:11], s6 offen offset:20",
     "$, v4, s[8:11], s6 offen offset:20", Form::Global,
     [](unsigned V, unsigned S) { return V + S + 20; }},
    {"ds_", "v4 offset:36", "v4, $ offset:36", Form::Lds,
     [](unsigned V, unsigned) { return V + 36; }},
};

class MemoryTest : public MemoryFixture {
protected:
  /// Offsets that all forms can use; consecutive elements where \p Dense.
  static unsigned laneOffset(unsigned Lane, const Element &E, bool Dense) {
    return 64 + (Dense ? Lane * E.Bytes : (Lane * 37 % 64) * 20);
  }

  void setAddresses(const Element &E, bool Dense) {
    for (unsigned Lane = 0; Lane < 64; ++Lane) {
      const unsigned Offset = laneOffset(Lane, E, Dense);
      setV64(2, global() + Offset, Lane);
      v(4, Lane) = Offset;
      setV64(14, SharedAperture + Offset, Lane);
      setV64(16, PrivateAperture + Offset, Lane);
    }
    s(6) = 128;
    setS64(12, global());
    setBuffer(global(), StoreBytes);
  }

  uint8_t *place(const Form &F, unsigned Lane, unsigned Offset) {
    return F.Where == Form::Global    ? &Store[Offset]
           : F.Where == Form::Private ? getPrivate(Lane) + Offset
                                      : &Group.Lds[Offset];
  }

  /// What a register holds after a load to it.
  uint32_t loaded(const Element &E, const uint8_t *From, unsigned Dword,
                  uint32_t Old) {
    uint64_t Bits = 0;
    for (unsigned N = 0; N < 4 && 4 * Dword + N < E.Bytes; ++N)
      Bits |= uint64_t(From[4 * Dword + N]) << 8 * N;
    if (E.Signed && (From[E.Bytes - 1] & 0x80))
      Bits |= ~uint64_t(0) << 8 * E.Bytes;
    if (E.Where == Into::Whole)
      return uint32_t(Bits);
    const bool Clears = Isa.Processor == "gfx90a" || Isa.Processor == "gfx942";
    const bool High = E.Where == Into::High;
    const uint32_t Kept = Clears ? 0 : Old & (High ? 0xffffu : 0xffff0000u);
    return Kept | uint32_t(Bits & 0xffff) << (High ? 16 : 0);
  }

  std::string mnemonic(const Form &F, const Element &E, bool IsLoad) {
    const bool New = Isa.isGfx11Plus();
    if (F.Mnemonic == std::string("ds_"))
      return std::string(IsLoad ? New ? "ds_load_" : "ds_read_"
                         : New  ? "ds_store_"
                                : "ds_write_") +
             E.Lds + " ";
    return std::string(F.Mnemonic) + (IsLoad ? "load_" : "store_") +
           (New ? E.New : E.Old) + " ";
  }

  void checkLoad(const Form &F, const Element &E, uint64_t Exec, bool Dense) {
    setAddresses(E, Dense);
    W.setExec(Exec);
    for (unsigned R = 20; R < 24; ++R)
      fill(R, 0xdeadbeef + R);
    const std::string Text =
        mnemonic(F, E, true) + registers('v', 20, E.dwords()) + ", " + F.Load;
    SCOPED_TRACE(Text + " on " + Isa.Processor);
    run(Text.c_str());
    for (unsigned Lane = 0; Lane < 64; ++Lane)
      for (unsigned R = 0; R < 4; ++R) {
        uint32_t Expected = 0xdeadbeef + 20 + R;
        const uint8_t *From =
            place(F, Lane, F.Offset(laneOffset(Lane, E, Dense), 128));
        if (R < E.dwords() && (W.exec() >> Lane & 1))
          Expected = loaded(E, From, R, Expected);
        ASSERT_EQ(v(20 + R, Lane), Expected) << "lane " << Lane;
      }
  }

  void checkStore(const Form &F, const Element &E, uint64_t Exec, bool Dense) {
    setAddresses(E, Dense);
    W.setExec(Exec);
    for (unsigned R = 20; R < 24; ++R)
      for (unsigned Lane = 0; Lane < 64; ++Lane)
        v(R, Lane) = (R * 64 + Lane) * 2246822519u;
    std::vector<uint8_t> Global = Store, Lds = Group.Lds;
    std::vector<uint8_t> Private(W.Private, W.Private + 64 * W.PrivateBytes);
    for (unsigned Lane = 0; Lane < W.Lanes; ++Lane) {
      if (!(W.exec() >> Lane & 1))
        continue;
      const unsigned Offset = F.Offset(laneOffset(Lane, E, Dense), 128);
      uint8_t *To = F.Where == Form::Global ? &Global[Offset]
                    : F.Where == Form::Lds
                        ? &Lds[Offset]
                        : &Private[Lane * W.PrivateBytes + Offset];
      for (unsigned N = 0; N < E.Bytes; ++N)
        To[N] = uint8_t(v(20 + N / 4, Lane) >>
                        (8 * (N % 4) + (E.Where == Into::High ? 16 : 0)));
    }
    std::string Operands = F.Store;
    Operands.replace(Operands.find('$'), 1, registers('v', 20, E.dwords()));
    const std::string Text = mnemonic(F, E, false) + Operands;
    SCOPED_TRACE(Text + " on " + Isa.Processor);
    run(Text.c_str());
    EXPECT_EQ(Store, Global);
    EXPECT_EQ(Group.Lds, Lds);
    EXPECT_TRUE(std::equal(Private.begin(), Private.end(), W.Private));
  }

  /// A fault of \p Text: kind, lane, address, and a part of the message.
  void expectFault(const char *Text, Fault::Kind Kind, int Lane,
                   uint64_t Address, const char *Detail) {
    SCOPED_TRACE(Text);
    execute(Text);
    ASSERT_TRUE(W.Failure);
    EXPECT_EQ(W.Failure->What, Kind) << W.Failure->Detail;
    EXPECT_EQ(W.Failure->Lane, Lane);
    EXPECT_EQ(W.Failure->Address, Address);
    EXPECT_NE(W.Failure->Detail.find(Detail), std::string::npos)
        << W.Failure->Detail;
    W.Failure.reset();
    W.Status = Wave::State::Running;
  }
};

struct Setting {
  const char *Processor;
  bool Wave64;
};
constexpr Setting Settings[] = {{"gfx90a", true},   {"gfx942", true},
                                {"gfx1030", false}, {"gfx1030", true},
                                {"gfx1100", false}, {"gfx1201", false}};

TEST_F(MemoryTest, LoadsOfEveryElementInEveryForm) {
  for (const Setting &R : Settings)
    for (const Element &E : LoadElements)
      for (const Form &F : Forms) {
        start(R.Processor, R.Wave64);
        checkLoad(F, E, ~uint64_t(0), /*Dense=*/true);
        checkLoad(F, E, ~uint64_t(0), /*Dense=*/false);
        checkLoad(F, E, 0x8421f00f12345679, /*Dense=*/true);
        checkLoad(F, E, 0, /*Dense=*/true);
      }
}

TEST_F(MemoryTest, StoresOfEveryElementInEveryForm) {
  for (const Setting &R : Settings)
    for (const Element &E : StoreElements)
      for (const Form &F : Forms) {
        start(R.Processor, R.Wave64);
        checkStore(F, E, ~uint64_t(0), /*Dense=*/true);
        checkStore(F, E, ~uint64_t(0), /*Dense=*/false);
        checkStore(F, E, 0x8421f00f12345679, /*Dense=*/true);
        checkStore(F, E, 0, /*Dense=*/true);
      }
}

TEST_F(MemoryTest, DestinationMayHoldTheAddress) {
  start("gfx90a");
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    setV64(2, global() + 64 + Lane * 40, Lane);
  run("global_load_dwordx4 v[0:3], v[2:3], off");
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    EXPECT_EQ(v64(2, Lane), at<uint64_t>(64 + Lane * 40 + 8));
}

TEST_F(MemoryTest, AccumulationRegistersAreData) {
  start("gfx90a");
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    setV64(2, global() + Lane * 4, Lane);
  run("global_load_dword a5, v[2:3], off");
  EXPECT_EQ(v(FirstAccVgpr + 5, 9), at<uint32_t>(36));
}

TEST_F(MemoryTest, VectorOffsetsAreUnsigned) {
  start("gfx1100");
  W.setExec(1);
  setS64(12, global() - 0xfffffff0);
  v(4) = 0xfffffff4;
  run("global_load_b32 v5, v4, s[12:13]");
  EXPECT_EQ(v(5), at<uint32_t>(4));
}

TEST_F(MemoryTest, LaneNumbersAsOffsets) {
  start("gfx1100");
  setS64(12, global() + 4);
  run("global_load_addtid_b32 v5, s[12:13] offset:16");
  for (unsigned Lane = 0; Lane < 32; ++Lane)
    EXPECT_EQ(v(5, Lane), at<uint32_t>(20 + 4 * Lane));
  fill(6, 0x01020304);
  W.setExec(2);
  run("global_store_addtid_b32 v6, s[12:13]");
  EXPECT_EQ(at<uint32_t>(8), 0x01020304u);
  EXPECT_EQ(Store[4], pattern(4));
  EXPECT_EQ(Store[12], pattern(12));
}

TEST_F(MemoryTest, LoadsToLds) {
  start("gfx942");
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    setV64(2, global() + 100 + Lane * 3, Lane);
  W.Scalars[M0] = 0xabcd0200;
  run("global_load_lds_sbyte v[2:3], off offset:8");
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    EXPECT_EQ(lds<uint32_t>(0x208 + 4 * Lane),
              uint32_t(int32_t(int8_t(Store[108 + Lane * 3]))));
  EXPECT_EQ(Group.Lds[0x207], pattern(0x207 + 1234));
  run("global_load_lds_dword v[2:3], off");
  EXPECT_EQ(lds<uint32_t>(0x200 + 4), copyAt<uint32_t>(103));
}

//===- Faults -------------------------------------------------------------===//

TEST_F(MemoryTest, OutOfBoundsNamesLaneAndAddress) {
  start("gfx90a");
  const uint64_t End = global() + StoreBytes;
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    setV64(2, global() + 4 * Lane, Lane);
  setV64(2, End - 2, 17);
  setV64(2, 16, 40);
  expectFault("global_load_dword v5, v[2:3], off", Fault::Kind::MemoryAccess,
              17, End - 2, "read of 4 bytes at the end of a 4096-byte");
  EXPECT_EQ(v(5, 16), at<uint32_t>(64)) << "lanes before the fault are done";
  W.setExec(uint64_t(1) << 40);
  expectFault("global_store_dword v[2:3], v5, off offset:-8",
              Fault::Kind::MemoryAccess, 40, 8, "write of 4 bytes");
  expectFault("flat_load_ubyte v5, v[2:3]", Fault::Kind::MemoryAccess, 40, 16,
              "in no allocation");
  expectFault("global_atomic_add v[2:3], v5, off", Fault::Kind::MemoryAccess,
              40, 16, "atomic of 4 bytes");
}

TEST_F(MemoryTest, DenseAccessPastTheEnd) {
  start("gfx1100");
  for (unsigned Lane = 0; Lane < 32; ++Lane)
    v(4, Lane) = StoreBytes - 31 * 4 + Lane * 4;
  setS64(12, global());
  run("global_load_b32 v5, v0, s[12:13]"); // the range is the last hit
  expectFault("global_load_b32 v5, v4, s[12:13]", Fault::Kind::MemoryAccess, 31,
              global() + StoreBytes, "at the end of");
}

TEST_F(MemoryTest, ReadOnlyRanges) {
  start("gfx90a");
  W.setExec(8);
  setV64(2, constants() + 12, 3);
  run("global_load_dword v5, v[2:3], off");
  uint32_t Expected;
  std::memcpy(&Expected, &Constants[12], 4);
  EXPECT_EQ(v(5, 3), Expected);
  for (const char *Text :
       {"global_store_dword v[2:3], v5, off", "flat_store_byte v[2:3], v5",
        "flat_atomic_or v[2:3], v5"})
    expectFault(Text, Fault::Kind::MemoryAccess, 3, constants() + 12,
                "in a read-only range (constants)");
}

TEST_F(MemoryTest, MapChangesTakeEffect) {
  start("gfx90a");
  W.setExec(1);
  setV64(2, global() + 8);
  run("global_load_dword v5, v[2:3], off");
  Memory.remove(global(), global() + 16);
  expectFault("global_load_dword v5, v[2:3], off", Fault::Kind::MemoryAccess, 0,
              global() + 8, "8 bytes before a 4080-byte allocation");
  Memory.add({global(), global() + 16, true, "allocation"});
  setV64(2, global() + 12);
  run("global_load_dwordx2 v[6:7], v[2:3], off");
  EXPECT_EQ(v64(6), copyAt<uint64_t>(12)) << "across ranges that touch";
}

TEST_F(MemoryTest, LimitsOfPrivateSegmentAndLds) {
  start("gfx1100");
  Group.Lds.resize(256);
  W.setExec(4);
  v(4, 2) = 4094;
  expectFault("scratch_load_b32 v5, v4, off", Fault::Kind::ScratchAccess, 2,
              4094, "a work-item has 4096");
  expectFault("scratch_store_b8 off, v5, off offset:-1",
              Fault::Kind::ScratchAccess, 2, 0xffffffff, "write of 1 bytes");
  v(4, 2) = 253;
  run("ds_load_u16 v5, v4 offset:1");
  expectFault("ds_load_b32 v5, v4", Fault::Kind::LdsAccess, 2, 253,
              "the workgroup has 256");
  setV64(2, SharedAperture + 256, 2);
  expectFault("flat_store_b8 v[2:3], v5", Fault::Kind::LdsAccess, 2, 256,
              "write of 1 bytes");
}

TEST_F(MemoryTest, AlignmentIsCheckedOnDemand) {
  start("gfx90a");
  W.setExec(1);
  setV64(2, global() + 6);
  v(4) = 2;
  run("global_load_dword v5, v[2:3], off");
  run("ds_read_b32 v5, v4");
  Options.CheckAlignment = true;
  run("global_load_ushort v5, v[2:3], off");
  for (const char *Text : {"global_load_dword v5, v[2:3], off",
                           "global_store_dwordx2 v[2:3], v[6:7], off"})
    expectFault(Text, Fault::Kind::MisalignedAccess, 0, global() + 6,
                "aligned to 2");
  expectFault("ds_read_b64 v[6:7], v4", Fault::Kind::MisalignedAccess, 0, 2,
              "aligned to 2");
  Options.CheckAlignment = false;
  expectFault("global_atomic_add v[2:3], v5, off",
              Fault::Kind::MisalignedAccess, 0, global() + 6, "aligned to 2");
}

TEST_F(MemoryTest, UnsupportedModifiersAreRefused) {
  EXPECT_EQ(refusal("global_load_b32 v5, v[2:3], off offset:4 slc dlc"), "");
  EXPECT_NE(refusal("buffer_load_dword v[5:6], v1, s[8:11], s3 offen tfe"), "");
  EXPECT_NE(refusal("buffer_load_dwordx4 v1, s[8:11], s3 offen lds"), "");
  EXPECT_NE(refusal("ds_add_u32 v1, v2 gds"), "");
  EXPECT_NE(refusal("ds_read2_b32 v[1:2], v3 offset:4"), "");
  EXPECT_NE(refusal("global_load_tr_b64 v[6:7], v[2:3], off"), "");
}

} // namespace
