//===- PlanFileReader.cpp - reader of plan files --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input is untrusted: counts allocate nothing, each number is checked, and
// sizes are rebuilt by the checking operators. checkGraphPlan() then checks the
// whole plan, like any other.
//
//===----------------------------------------------------------------------===//
#include "GraphPlanCheck.h"
#include "JitGraph/Sizes/DimNode.h"
#include "PlanFormat.h"

#include "JitGraph/Graph/PlanFile.h"
#include "kpack/Archive/detail/ContentHash.h"
#include "kpack/Archive/detail/Msgpack.h"

using namespace kpack;
using namespace kpack::jit;
using detail::MsgpackValue;

namespace {

class PlanFileReader {
public:
  PlanFileReader(std::string_view Bytes, const std::string &Name,
                 bool IsGuarded)
      : In(Bytes), Size(Bytes.size()), Name(Name), IsGuarded(IsGuarded) {}
  Result<GraphPlan> read();

private:
  bool refuse(std::string Why) { return In.refuse(std::move(Why)); }
  bool uint(uint64_t &Value, uint64_t Most = UINT64_MAX) {
    MsgpackValue V;
    if (!In.read(V))
      return false;
    if (V.Kind != MsgpackValue::Uint || V.Number > Most)
      return refuse("not a number, or one that is too large");
    Value = V.Number;
    return true;
  }
  bool uint32(uint32_t &Value) {
    uint64_t Wide = 0;
    bool IsRead = uint(Wide, UINT32_MAX);
    Value = static_cast<uint32_t>(Wide);
    return IsRead;
  }
  bool integer(int64_t &Value) {
    uint64_t Bits = 0;
    bool IsRead = uint(Bits);
    Value = static_cast<int64_t>(Bits >> 1 ^ (Bits & 1 ? UINT64_MAX : 0));
    return IsRead;
  }
  template <typename Enum> bool kind(Enum &Target, Enum Last) {
    uint64_t Value = 0;
    bool IsRead = uint(Value, static_cast<uint64_t>(Last));
    Target = static_cast<Enum>(Value);
    return IsRead;
  }
  bool text(std::string &Target,
            MsgpackValue::KindType Kind = MsgpackValue::Str) {
    MsgpackValue V;
    if (!In.read(V))
      return false;
    if (V.Kind != Kind)
      return refuse("not a text");
    Target = V.Text;
    return true;
  }
  /// Reads the head of an array of \p Count items, which follow.
  bool tuple(uint64_t Count) {
    MsgpackValue V;
    if (!In.read(V))
      return false;
    return (V.Kind == MsgpackValue::Array && V.Number == Count) ||
           refuse("not a list of " + std::to_string(Count));
  }
  /// Reads a list; \p Read reads one item.
  template <typename Function> bool list(Function Read) {
    MsgpackValue V;
    if (!In.read(V))
      return false;
    if (V.Kind != MsgpackValue::Array)
      return refuse("not a list");
    for (uint64_t Left = V.Number; Left; --Left)
      if (!Read())
        return false;
    return true;
  }
  template <typename T, typename Function>
  bool toList(std::vector<T> &List, Function Read) {
    return list([&] { return Read(List.emplace_back()); });
  }

  bool variable();
  bool dimension();
  bool sum(std::span<const uint64_t> Fields);
  bool keep(const Result<Dim> &Size);
  /// Reads a size of the table; invalid for 0.
  bool dim(Dim &Size);
  bool dims(std::vector<Dim> &Sizes) {
    return toList(Sizes, [&](Dim &D) { return dim(D); });
  }
  bool numbers(std::vector<uint32_t> &Values) {
    return toList(Values, [&](uint32_t &Value) { return uint32(Value); });
  }
  bool integers(std::vector<int64_t> &Values) {
    return toList(Values, [&](int64_t &Value) { return integer(Value); });
  }
  bool input();
  bool output();
  bool weight(OpConstant &C);
  bool buffer(GraphBuffer &B);
  bool node(GraphNode &N);
  bool field(std::string_view Key);
  bool guard();
  bool unit(GraphUnit &U);
  bool block();
  bool added(std::string_view Key, bool &IsKnown);

  detail::MsgpackReader In;
  size_t Size;
  const std::string &Name;
  bool IsGuarded; ///< of the version with guards
  GraphPlan Plan;
  std::vector<Dim> Variables, Table;
};

} // namespace

bool PlanFileReader::variable() {
  std::string Identifier;
  DimRange Range;
  if (!tuple(3) || !text(Identifier) || !integer(Range.Lo) ||
      !integer(Range.Hi))
    return false;
  Result<Dim> Size = Plan.Ops.dims().variable(std::move(Identifier), Range);
  if (!Size)
    return refuse(Size.status().message());
  Variables.push_back(*Size);
  return true;
}

bool PlanFileReader::keep(const Result<Dim> &Size) {
  if (!Size || !Size->valid())
    return refuse(Size ? "a size that is none" : Size.status().message());
  Table.push_back(*Size);
  return true;
}

/// Adds up the parts of a DimSum in its order.
bool PlanFileReader::sum(std::span<const uint64_t> Fields) {
  DimContext &Dims = Plan.Ops.dims();
  size_t Position = 0;
  auto Next = [&] {
    return Position < Fields.size() ? Fields[Position++] : UINT64_MAX;
  };
  auto Signed = [](uint64_t Bits) {
    return static_cast<int64_t>(Bits >> 1 ^ (Bits & 1 ? UINT64_MAX : 0));
  };
  int64_t Constant = Signed(Next());
  uint64_t Terms = Next();
  Result<Dim> Sum = Dim();
  for (uint64_t I = 0; I < Terms; ++I) {
    int64_t Factor = Signed(Next());
    uint64_t Atoms = Next();
    if (Atoms == 0 || Atoms > Fields.size() - Position)
      return refuse("a sum that is cut off");
    Result<Dim> Term = Dim();
    for (uint64_t A = 0; A < Atoms; ++A) {
      uint64_t Index = Next();
      // Refuse products of sums, which no writer makes: they would multiply
      // their terms.
      if (Index >= Table.size() || !Table[Index].node()->isAtom())
        return refuse("a factor that is not there yet, or is a sum");
      Term = A ? Dims.mul(*Term, Table[Index]) : Result(Table[Index]);
      if (!Term)
        return keep(Term);
    }
    if (Factor != 1)
      Term = Dims.mul(*Term, Dims.constant(Factor));
    if (!Term)
      return keep(Term);
    Sum = I ? Dims.add(*Sum, *Term) : Term;
    if (!Sum)
      return keep(Sum);
  }
  if (Position != Fields.size())
    return refuse("a sum with something behind it");
  if (Terms == 0)
    return keep(Dims.constant(Constant));
  return keep(Constant ? Dims.add(*Sum, Dims.constant(Constant)) : Sum);
}

bool PlanFileReader::dimension() {
  DimContext &Dims = Plan.Ops.dims();
  std::vector<uint64_t> Fields;
  if (!toList(Fields, [&](uint64_t &Word) { return uint(Word); }))
    return false;
  if (Fields.size() < 2)
    return refuse("a size without operands");
  auto Op = static_cast<PlanDim>(Fields[0]);
  if (Op == PlanDim::Sum)
    return sum(std::span(Fields).subspan(1));
  if (Op == PlanDim::Variable)
    return Fields[1] < Variables.size()
               ? keep(Variables[Fields[1]])
               : refuse("a variable that is not there");
  for (size_t I = 1; I < Fields.size(); ++I)
    if (Fields[I] >= Table.size())
      return refuse("a size that is not there yet");
  bool Divides = Op == PlanDim::FloorDiv || Op == PlanDim::Mod;
  if (Fields[0] > static_cast<uint64_t>(PlanDim::Max) ||
      (Divides && Fields.size() != 3))
    return refuse("a size of an unknown kind");
  Result<Dim> Size = Table[Fields[1]];
  for (size_t I = 2; I < Fields.size() && Size; ++I) {
    Dim Other = Table[Fields[I]];
    Size = Op == PlanDim::FloorDiv ? Dims.floorDiv(*Size, Other)
           : Op == PlanDim::Mod    ? Dims.mod(*Size, Other)
           : Op == PlanDim::Min    ? Dims.min(*Size, Other)
                                   : Dims.max(*Size, Other);
  }
  return keep(Size);
}

bool PlanFileReader::dim(Dim &Size) {
  uint64_t Index = 0;
  if (!uint(Index, Table.size()))
    return false;
  if (Index)
    Size = Table[Index - 1];
  return true;
}

bool PlanFileReader::input() {
  OpInput Input;
  if (!tuple(3) || !text(Input.Name) || !kind(Input.Type, ElementType::Bool) ||
      !dims(Input.Shape))
    return false;
  for (Dim D : Input.Shape)
    if (!D.valid())
      return refuse("an input without a shape");
  Plan.Ops.addInput(std::move(Input));
  return true;
}

/// The file does not name the node that computes it.
bool PlanFileReader::output() {
  std::string Identifier;
  if (!text(Identifier))
    return false;
  if (Plan.Ops.size() == 0)
    return refuse("no inputs");
  Plan.Ops.addOutput(std::move(Identifier), 0);
  return true;
}

bool PlanFileReader::weight(OpConstant &C) {
  std::string Bytes;
  if (!tuple(4) || !text(C.Name) || !kind(C.Type, ElementType::Bool) ||
      !integers(C.Shape) || !text(Bytes, MsgpackValue::Bin))
    return false;
  C.Bytes = ConstantBytes(std::as_bytes(std::span(Bytes)));
  return true;
}

bool PlanFileReader::buffer(GraphBuffer &B) {
  return tuple(7) && text(B.Name) && kind(B.Role, BufferRole::Pooled) &&
         kind(B.Type, ElementType::Bool) && uint(B.Bytes) && uint32(B.Which) &&
         dims(B.Extents) && integers(B.Strides);
}

bool PlanFileReader::node(GraphNode &N) {
  std::vector<Dim> Grid;
  if (!tuple(9) || !uint32(N.Kernel) || !uint32(N.Written) ||
      !numbers(N.Buffers) || !dims(N.Sizes) || !dim(N.Rows) || !dims(Grid) ||
      !uint32(N.Block) || !dim(N.Bytes) || !dim(N.Flops))
    return false;
  if (Grid.size() != N.Grid.size())
    return refuse("a grid that has not three extents");
  std::copy(Grid.begin(), Grid.end(), N.Grid.begin());
  return true;
}

bool PlanFileReader::guard() {
  OpGuard Guard;
  if (!tuple(2) || !dim(Guard.A) || !dim(Guard.B))
    return false;
  if (!Guard.A.valid() || !Guard.B.valid())
    return refuse("a guard of a size that is none");
  Plan.Ops.addGuard(Guard);
  return true;
}

bool PlanFileReader::unit(GraphUnit &U) {
  auto Index = static_cast<uint32_t>(Plan.Units.size());
  auto Header = [&](std::pair<std::string, std::string> &File) {
    return tuple(2) && text(File.first) && text(File.second, MsgpackValue::Bin);
  };
  auto Kernel = [&] {
    uint64_t K = 0;
    if (!uint(K))
      return false;
    if (K >= Plan.Kernels.size() || Plan.Kernels[K].Unit != 0)
      return refuse("a text of a kernel that is not there, or has another one");
    Plan.Kernels[K].Unit = Index;
    return true;
  };
  return tuple(4) && text(U.Name) && text(U.Text, MsgpackValue::Bin) &&
         toList(U.Headers, Header) && list(Kernel);
}

bool PlanFileReader::block() {
  uint64_t IsNode = 0, Place = 0;
  if (!tuple(4) || !uint(IsNode, 1) || !uint(Place))
    return false;
  std::vector<GraphNode> &Nodes = IsNode ? Plan.Nodes : Plan.Setup;
  if (Place >= Nodes.size())
    return refuse("a block of a node that is not there");
  return uint32(Nodes[Place].BlockY) && uint32(Nodes[Place].BlockZ);
}

/// Reads keys that were added to the format.
bool PlanFileReader::added(std::string_view Key, bool &IsKnown) {
  IsKnown = true;
  if (Key == GuardsKey)
    return IsGuarded ? list([&] { return guard(); })
                     : refuse("guards, which this version has not");
  if (Key == "units")
    return toList(Plan.Units, [&](GraphUnit &U) { return unit(U); });
  if (Key == "blocks")
    return list([&] { return block(); });
  IsKnown = false;
  return true;
}

/// Reads the value of \p Key, which comes next.
bool PlanFileReader::field(std::string_view Key) {
  if (Key == "target")
    return kind(Plan.Target, GraphTarget::Cuda);
  if (Key == "sizes_in_memory") {
    uint64_t Flag = 0;
    bool IsRead = uint(Flag, 1);
    Plan.SizesInMemory = Flag;
    return IsRead;
  }
  if (Key == "variables")
    return list([&] { return variable(); });
  if (Key == "dims")
    return list([&] { return dimension(); });
  if (Key == "interface_inputs")
    return list([&] { return input(); });
  if (Key == "interface_outputs")
    return list([&] { return output(); });
  if (Key == "weights")
    return toList(Plan.Weights, [&](OpConstant &C) { return weight(C); });
  if (Key == "buffers")
    return toList(Plan.Buffers, [&](GraphBuffer &B) { return buffer(B); });
  if (Key == "inputs")
    return numbers(Plan.Inputs);
  if (Key == "outputs")
    return numbers(Plan.Outputs);
  if (Key == "kernels")
    return toList(Plan.Kernels, [&](GraphKernel &K) {
      return tuple(2) && text(K.Name) && text(K.Operations);
    });
  if (Key == "setup")
    return toList(Plan.Setup, [&](GraphNode &N) { return node(N); });
  if (Key == "nodes")
    return toList(Plan.Nodes, [&](GraphNode &N) { return node(N); });
  if (Key == "source")
    return text(Plan.Source);
  if (Key == "pooled")
    return toList(Plan.Pooled, [&](PlanBuffer &B) {
      return tuple(5) && text(B.Name) && uint(B.Size) && uint32(B.First) &&
             uint32(B.Last) && numbers(B.MayReplace);
    });
  if (Key == "places")
    return toList(Plan.Memory.Places, [&](MemoryPlan::Place &P) {
      return tuple(2) && uint(P.Offset) && uint32(P.Replaces);
    });
  if (Key == "peak")
    return uint(Plan.Memory.Peak);
  return uint(Key == "naive_sum" ? Plan.Memory.NaiveSum
                                 : Plan.Memory.LowerBound);
}

Result<GraphPlan> PlanFileReader::read() {
  auto Refused = [&] {
    return Status(StatusCode::InvalidFormat,
                  Name + ": " + In.reason() + " at byte " +
                      std::to_string(PlanMagic.size() + In.offset()) +
                      "; save the plan again");
  };
  MsgpackValue All;
  if (!In.read(All) || (All.Kind != MsgpackValue::Map && !refuse("not a map")))
    return Refused();
  // Later versions may append keys.
  size_t Known = std::size(PlanKeys);
  if (All.Number < Known) {
    refuse("keys are missing");
    return Refused();
  }
  for (size_t I = 0; I < All.Number; ++I) {
    std::string Key;
    MsgpackValue Other;
    if (!text(Key))
      return Refused();
    bool IsRead = false, IsAdded = false;
    if (I >= Known)
      IsRead = added(Key, IsAdded) &&
               (IsAdded || (In.read(Other) && In.skip(Other)));
    else
      IsRead = Key == PlanKeys[I]
                   ? field(Key)
                   : refuse("not the key '" + std::string(PlanKeys[I]) + "'");
    if (!IsRead)
      return Refused();
  }
  // A plan with an empty list would have two different files.
  if (IsGuarded && Plan.Ops.guards().empty()) {
    refuse("of a version with guards, and has none");
    return Refused();
  }
  if (In.offset() != Size) {
    refuse("the checksum is damaged, or something is behind the end");
    return Refused();
  }
  if (Status S = checkGraphPlan(Plan); !S.ok())
    return Status(S.code(), Name + ": " + S.message(), S.detail());
  return std::move(Plan);
}

Result<GraphPlan> kpack::jit::readPlan(std::string_view Bytes,
                                       const std::string &Name) {
  std::string_view Family = PlanMagic.substr(0, PlanMagic.size() - 1);
  if (!Bytes.starts_with(Family))
    return Status(StatusCode::InvalidFormat,
                  Name + ": is no plan of a graph; give one that save() has "
                         "written");
  bool IsGuarded = Bytes.starts_with(GuardedPlanMagic);
  if (!IsGuarded && !Bytes.starts_with(PlanMagic))
    return Status(StatusCode::UnsupportedVersion,
                  Name + ": is of another version of the format; save the plan "
                         "again with this one");
  // Before there were checksums, a file ended with the map.
  if (size_t Most = Bytes.size(); Most >= PlanMagic.size() + ChecksumSize) {
    std::string_view Hashed =
        Bytes.substr(0, Most - sizeof(detail::ContentHash));
    if (Hashed.ends_with(ChecksumMagic)) {
      detail::ContentHash Sum = detail::contentHash(Hashed);
      if (Bytes.substr(Hashed.size()) !=
          std::string_view(Sum.data(), Sum.size()))
        return Status(StatusCode::InvalidFormat,
                      Name + ": its content is not that of its checksum; save "
                             "the plan again");
      Bytes = Hashed.substr(0, Hashed.size() - ChecksumMagic.size());
    }
  }
  return PlanFileReader(Bytes.substr(PlanMagic.size()), Name, IsGuarded).read();
}
