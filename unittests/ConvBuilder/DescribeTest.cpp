//===- DescribeTest.cpp - tests of JSON, differences and trees ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// JSON and differences hold for every value: random ones are asked. Lines and
// trees are compared with what a person has written. C++ is compiled by
// test/ConvBuilder/cxx-text.test.
//
//===----------------------------------------------------------------------===//
#include "RandomValue.h"

#include "kpack/ConvBuilder/Describe.h"
#include "kpack/ConvBuilder/FieldTable.h"

#include <gtest/gtest.h>
#include <set>

using namespace kpack;
using namespace kpack::conv;

namespace {

constexpr Signature Example{
    .spatial_dim = 2,
    .data_type = DataType::FP16,
    .accumulation_data_type = DataType::FP32,
    .input = {{TensorLayout::NHWGC}},
    .output = {.config = {TensorLayout::NHWGK, DataType::FP32},
               .operation =
                   Operation{ElementwiseOperation::ADD_RELU_ADD,
                             {{TensorLayout::GC},
                              {TensorLayout::NHWGK, DataType::BF16}}}}};

constexpr Algorithm Tiled{
    .kind = Kind::IMPLICIT_GEMM,
    .isa = Isa::MFMA,
    .tile = {128, 128, 32},
    .wave = WaveTile{{2, 1, 1}, {32, 32, 8}},
    .a = Operand{.load_vector = 8, .cluster_order = {1, 0, 2}},
    .pipeline = Pipeline{},
    .split = Split{.two_stage = true, .stream_k = StreamK{}}};

TEST(ConvDescribeTest, ParseAndText) {
  EXPECT_EQ(*parse<Signature>(text(Example)), Example);
  EXPECT_EQ(*parse<Algorithm>(text(Tiled, TextForm::Full)), Tiled);
  EXPECT_EQ(text(Algorithm{.kind = Kind::DIRECT}), "{kind=DIRECT}");
  EXPECT_EQ(text(Algorithm{.kind = Kind::DIRECT}, TextForm::Full),
            "{schema=1,kind=DIRECT,isa=AUTO,block_size=0,"
            "specialization=DEFAULT}");
  Result<Algorithm> Wrong = parse<Algorithm>("{tile={m=128,q=1}}");
  ASSERT_FALSE(Wrong.ok());
  EXPECT_EQ(Wrong.status().code(), StatusCode::InvalidFormat);
  EXPECT_EQ(Wrong.status().message(),
            "algorithm: at 13: 'q' is no field; did you mean m?");
  EXPECT_EQ(parse<Signature>("{dirction=FORWARD}").status().message(),
            "signature: at 1: 'dirction' is no field; did you mean direction?");
}

TEST(ConvDescribeTest, OneLine) {
  EXPECT_EQ(describe(Signature{}), "all default");
  EXPECT_EQ(describe(Example),
            "spatial_dim 2, FP16, accumulation_data_type FP32; input: NHWGC; "
            "output: NHWGK, FP32, operation (ADD_RELU_ADD, "
            "auxiliary_operand_configs (GC) (NHWGK, BF16))");
  EXPECT_EQ(describe(Tiled),
            "IMPLICIT_GEMM, MFMA; tile 128x128x32; wave (waves 2x1x1, instr "
            "32x32x8); a (load_vector 8, cluster_order 1 0 2); pipeline "
            "default; split (two_stage, stream_k default)");
}

template <typename T> void everyValueIsOneLine(unsigned Seed) {
  RandomValue Random(Seed);
  for (int I = 0; I < 1000; ++I) {
    T Value = Random.make<T>();
    std::string Line = describe(Value);
    ASSERT_EQ(Line == "all default", Value == T{}) << Line;
    ASSERT_EQ(Line.find('\n'), std::string::npos) << Line;
  }
}

TEST(ConvDescribeTest, EveryValueIsOneLine) {
  everyValueIsOneLine<Signature>(31);
  everyValueIsOneLine<Algorithm>(32);
  everyValueIsOneLine<Problem>(33);
}

// The library prints by tables, and Text.h, while compiling, by templates.
template <typename T> void libraryPrintsAsTextH(unsigned Seed) {
  RandomValue Random(Seed);
  for (int I = 0; I < 1000; ++I) {
    T Value = Random.make<T>();
    for (TextForm Form : {TextForm::Short, TextForm::Full})
      ASSERT_EQ(text(Value, Form), textOf(Value, Form).view());
  }
}

TEST(ConvDescribeTest, LibraryPrintsAsTextH) {
  libraryPrintsAsTextH<Signature>(34);
  libraryPrintsAsTextH<Algorithm>(35);
  libraryPrintsAsTextH<Problem>(36);
}

TEST(ConvDescribeTest, TreeDescribesEachField) {
  EXPECT_EQ(
      describeTree(Algorithm{.isa = Isa::DOT,
                             .wave = WaveTile{{2, 1, 0}, {}},
                             .pipeline = Pipeline{}}),
      "algorithm\n"
      "  isa       DOT      which instructions multiply: dot products of two "
      "or four elements\n"
      "  wave               how waves share the tile\n"
      "    waves            waves of a work-group in each direction\n"
      "      m     2 waves  along the rows\n"
      "      n     1 wave   along the columns\n"
      "  pipeline           the inner loop\n");
  std::string Full = describeTree(Example, TextForm::Full);
  EXPECT_NE(Full.find("auxiliary_operand_configs[1]"), std::string::npos);
  EXPECT_NE(Full.find("\n  weight "), std::string::npos);
  EXPECT_NE(Full.find("\n    operation "), std::string::npos);
  EXPECT_NE(Full.find("  absent "), std::string::npos);
  EXPECT_NE(Full.find("FORWARD"), std::string::npos);
  EXPECT_NE(Full.find("(default)"), std::string::npos);
  EXPECT_EQ(describeTree(Example).find("(default)"), std::string::npos);
}

template <typename T> void jsonComesBack(unsigned Seed) {
  RandomValue Random(Seed);
  for (unsigned I = 0; I < 1000; ++I) {
    T Value = Random.make<T>();
    for (TextForm Form : {TextForm::Short, TextForm::Full}) {
      std::string Json = toJson(Value, Form);
      Result<T> Read = fromJson<T>(Json);
      ASSERT_TRUE(Read.ok()) << Json << Read.status().message();
      ASSERT_EQ(*Read, Value) << Json;
      ASSERT_EQ(toJson(*Read, Form), Json);
    }
  }
}

TEST(ConvDescribeTest, EveryValueComesBackFromJson) {
  jsonComesBack<Signature>(11);
  jsonComesBack<Algorithm>(12);
  jsonComesBack<Problem>(13);
  EXPECT_EQ(*fromJson<Problem>(toJson(LongestValue::make<Problem>())),
            LongestValue::make<Problem>());
  EXPECT_EQ(*fromJson<Algorithm>(toJson(LongestValue::make<Algorithm>())),
            LongestValue::make<Algorithm>());
}

TEST(ConvDescribeTest, JsonIsExactAndParsesBack) {
  EXPECT_EQ(toJson(Signature{}), "{}");
  EXPECT_EQ(toJson(Tiled),
            R"({"kind":"IMPLICIT_GEMM","isa":"MFMA",)"
            R"("tile":{"m":128,"n":128,"k":32},)"
            R"("wave":{"waves":{"m":2,"n":1,"k":1},)"
            R"("instr":{"m":32,"n":32,"k":8}},)"
            R"("a":{"load_vector":8,"cluster_order":[1,0,2]},"pipeline":{},)"
            R"("split":{"two_stage":true,"stream_k":{}}})");
  EXPECT_EQ(toJson(Algorithm{}, TextForm::Full).substr(0, 12),
            "{\"schema\":1,");
  EXPECT_EQ(*fromJson<Algorithm>(
                " { \"tile\" : null ,\n\"isa\":\"DOT\", \"schema\":1 } "),
            Algorithm{.isa = Isa::DOT});
}

/// "OFFSET: message" of what fromJson() says.
std::string jsonError(std::string_view Json) {
  Result<Signature> Read = fromJson<Signature>(Json);
  if (Read)
    return "none";
  EXPECT_EQ(Read.status().code(), StatusCode::InvalidFormat);
  std::string Message = Read.status().message(), Start = "signature: at ";
  EXPECT_EQ(Message.substr(0, Start.size()), Start);
  return Message.substr(Start.size());
}

TEST(ConvDescribeTest, JsonErrorsNameTheOffset) {
  EXPECT_EQ(jsonError(R"({"spatial_dim":2, "inptu":{}})"),
            "18: 'inptu' is no field; did you mean input?");
  EXPECT_EQ(jsonError(R"({"data_type":"fp16"})"),
            "13: data_type: 'fp16' is no data type; did you mean FP16?");
  EXPECT_EQ(jsonError(R"({"data_type":7})"),
            "13: data_type: a string is expected");
  EXPECT_EQ(jsonError(R"({"spatial_dim":4})"), "15: spatial_dim: at most 3");
  EXPECT_EQ(jsonError(R"({"spatial_dim":99999999999999999999999})"),
            "15: spatial_dim: at most 3");
  EXPECT_EQ(jsonError(R"({"spatial_dim":"2"})"),
            "15: spatial_dim: a number is expected");
  EXPECT_EQ(jsonError(R"({"spatial_dim":2.5})"),
            "15: spatial_dim: a whole number is expected");
  EXPECT_EQ(jsonError(R"({"spatial_dim":-1})"),
            "15: spatial_dim: a number is expected");
  EXPECT_EQ(jsonError(R"({"spatial_dim":1,"spatial_dim":1})"),
            "17: spatial_dim: is given twice");
  EXPECT_EQ(jsonError(R"({"schema":1,"schema":1})"),
            "12: schema: is given twice");
  EXPECT_EQ(jsonError(R"({"schema":2})"), "1: schema: 2 is not known; 1 is");
  EXPECT_EQ(jsonError(R"({"input":{"schema":1}})"), "10: 'schema' is no field");
  EXPECT_EQ(jsonError(R"({"input":[]})"), "9: input: an object is expected");
  EXPECT_EQ(jsonError(R"({"output":{"operation":{"chain":["RELU","RELU",)"
                      R"("RELU","RELU","RELU"]}}})"),
            "61: chain: at most 4 values");
  EXPECT_EQ(jsonError("[]"), "0: an object is expected");
  EXPECT_EQ(jsonError(""), "0: an object is expected");
  EXPECT_EQ(jsonError("{"), "1: this is not JSON");
  EXPECT_EQ(jsonError("{\"input\""), "8: this is not JSON");
  EXPECT_EQ(jsonError("{} {}"), "3: something stands behind the value");
  EXPECT_EQ(jsonError(std::string(100000, ' ')),
            "65536: a text of more than 65536 bytes");
  EXPECT_EQ(
      fromJson<Algorithm>(R"({"split":{"index64":1}})").status().message(),
      "algorithm: at 20: index64: true or false is expected");
}

/// All leaves of a value: what can be changed, and what diff() calls it.
class Leaves {
public:
  explicit Leaves(unsigned Which) : Left(Which) {}

  template <Fielded T> void visit(T &Value, const std::string &Path) {
    forEachField<T>([&](auto Member, const Field &F) {
      visit(Value.*Member, Path + '.' + std::string(F.Name));
    });
  }
  template <typename T>
  void visit(Optional<T> &Value, const std::string &Path) {
    if (Value)
      visit(*Value, Path);
    else if (isTurn(Path))
      Value.make();
  }
  template <typename T, unsigned N>
  void visit(List<T, N> &Values, const std::string &Path) {
    for (unsigned I = 0; I < Values.size(); ++I)
      visit(Values[I], Path + '[' + std::to_string(I) + ']');
    if (Values.size() < N &&
        isTurn(Path + '[' + std::to_string(Values.size()) + ']'))
      Values.push(T{});
  }
  void visit(long long &Value, const std::string &Path) {
    if (isTurn(Path))
      Value = Value == 0 ? 1 : 0;
  }
  void visit(int &Value, const std::string &Path) {
    if (isTurn(Path))
      Value = Value == 0 ? 1 : 0;
  }
  void visit(bool &Value, const std::string &Path) {
    if (isTurn(Path))
      Value = !Value;
  }
  template <Enumeration Enum> void visit(Enum &Value, const std::string &Path) {
    if (isTurn(Path))
      Value = static_cast<Enum>((static_cast<unsigned>(Value) + 1) %
                                EnumCount<Enum>);
  }

  std::string Changed; ///< empty: there are not so many

private:
  bool isTurn(const std::string &Path) {
    if (Left-- != 0)
      return false;
    Changed = Path;
    return true;
  }

  unsigned Left;
};

template <typename T> unsigned everyLeafIsNamed(unsigned Seed) {
  RandomValue Random(Seed);
  unsigned Count = 0;
  for (unsigned I = 0; I < 20; ++I) {
    T Value = Random.make<T>();
    EXPECT_TRUE(diff(Value, Value).empty());
    for (unsigned Which = 0;; ++Which, ++Count) {
      Leaves One(Which);
      T Other = Value;
      One.visit(Other, std::string(ObjectName<T>));
      if (One.Changed.empty())
        break;
      std::vector<Difference> Found = diff(Value, Other);
      EXPECT_EQ(Found.size(), 1u) << One.Changed;
      EXPECT_EQ(Found.at(0).Path, One.Changed);
      EXPECT_NE(Found.at(0).Old, Found.at(0).New) << One.Changed;
    }
  }
  return Count;
}

TEST(ConvDescribeTest, DiffNamesExactlyWhatChanged) {
  EXPECT_GT(everyLeafIsNamed<Signature>(21), 400u);
  EXPECT_GT(everyLeafIsNamed<Algorithm>(22), 600u);
  EXPECT_GT(everyLeafIsNamed<Problem>(23), 100u);
}

TEST(ConvDescribeTest, DiffIsEmptyOnlyForEqualValues) {
  RandomValue Random(23);
  for (int I = 0; I < 1000; ++I) {
    auto A = Random.make<Algorithm>(), B = Random.make<Algorithm>();
    ASSERT_EQ(diff(A, B).empty(), A == B);
  }
}

TEST(ConvDescribeTest, DiffNamesFieldAndValues) {
  Algorithm Other = Tiled;
  Other.tile->k = 64;
  Other.pipeline.reset();
  Other.a->cluster_order.push(3);
  Other.split->stream_k->reduction = StreamKReductionStrategy::TREE;
  std::vector<std::string> Lines;
  for (const Difference &One : diff(Tiled, Other))
    Lines.push_back(One.text());
  EXPECT_EQ(Lines, (std::vector<std::string>{
                       "algorithm.tile.k: 32 -> 64",
                       "algorithm.a.cluster_order[3]: absent -> 3",
                       "algorithm.pipeline: {} -> absent",
                       "algorithm.split.stream_k.reduction: LINEAR -> TREE"}));
  EXPECT_EQ(diff(Signature{}, Example).back().text(),
            "signature.output.operation: absent -> "
            "{elementwise_operation=ADD_RELU_ADD,auxiliary_operand_configs=[{"
            "layout=GC},{layout=NHWGK,data_type=BF16}]}");
}

TEST(ConvDescribeTest, CxxTextIsExact) {
  EXPECT_EQ(cxxText(Signature{}), "Signature{}");
  EXPECT_EQ(cxxText(Tiled),
            "Algorithm{.kind = Kind::IMPLICIT_GEMM,\n"
            "          .isa = Isa::MFMA,\n"
            "          .tile = MNK{.m = 128, .n = 128, .k = 32},\n"
            "          .wave = WaveTile{.waves = {.m = 2, .n = 1, .k = 1}, "
            ".instr = {.m = 32, .n = 32, .k = 8}},\n"
            "          .a = Operand{.load_vector = 8, "
            ".cluster_order = {1, 0, 2}},\n"
            "          .pipeline = Pipeline{},\n"
            "          .split = Split{.two_stage = true, "
            ".stream_k = StreamK{}}}");
}

/// Every struct is there once, with all that it has, and no text is missing.
TEST(ConvFieldTableTest, IsComplete) {
  FieldTable OfSignature = FieldTable::ofSignature(),
             OfAlgorithm = FieldTable::ofAlgorithm(),
             OfProblem = FieldTable::ofProblem();
  EXPECT_EQ(OfSignature.Structs.size(), 5u);
  EXPECT_EQ(OfAlgorithm.Structs.size(), 18u);
  EXPECT_EQ(OfProblem.Structs.size(), 2u);
  std::set<std::string_view> Names;
  for (const FieldTable *Table : {&OfSignature, &OfAlgorithm, &OfProblem}) {
    for (const StructFacts &Struct : Table->Structs) {
      EXPECT_TRUE(Names.insert(Struct.Name).second) << Struct.Name;
      for (const FieldFacts &F : Struct.Fields) {
        EXPECT_NE(std::string_view(F.Of.Text), "") << F.Of.Name;
        EXPECT_FALSE(F.Type.empty()) << std::string_view(F.Of.Name);
        EXPECT_LE(F.Of.Min, F.Of.Max) << std::string_view(F.Of.Name);
      }
    }
    for (const EnumFacts &Enum : Table->Enums)
      EXPECT_TRUE(Names.insert(Enum.Name).second) << Enum.Name;
  }
  EXPECT_EQ(Names.count("MNK") + Names.count("ElementwiseOperation"), 2u);
  const StructFacts &Outer = OfAlgorithm.Structs.front();
  EXPECT_EQ(Outer.Name, "Algorithm");
  EXPECT_EQ(Outer.Fields.size(), arity<Algorithm>());
  const FieldFacts &Tile = Outer.Fields.at(3);
  EXPECT_EQ(std::string_view(Tile.Of.Name), "tile");
  EXPECT_EQ(Tile.Type, "MNK");
  EXPECT_TRUE(Tile.IsPart);
  EXPECT_EQ(Tile.Default, "absent");
}

} // namespace
