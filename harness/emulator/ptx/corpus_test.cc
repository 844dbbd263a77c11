// SPDX-License-Identifier: Apache-2.0
// What nvcc wrote (testdata/), whole, cut off, and damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>

#include "emulator/ptx/parse_for_test.h"

namespace assay::gpu::ptx {
namespace {

using testing::Contains;
using testing::IsEmpty;

std::string ReadCorpus(const std::string& name) {
  std::ifstream file(std::string(ASSAY_PTX_TESTDATA) + "/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

Module ParseCorpus(const std::string& name) { return MustParse(Parse(ReadCorpus(name), name)); }

std::set<std::string> Unsupported(const Module& module) {
  std::set<std::string> spellings;
  for (const Function& function : module.functions) {
    for (const Instruction& instruction : function.instructions) {
      if (instruction.opcode == Opcode::kUnsupported) {
        spellings.insert(instruction.spelling + ": " + instruction.reason);
      }
    }
  }
  return spellings;
}

std::set<Opcode> Opcodes(const Module& module) {
  std::set<Opcode> opcodes;
  for (const Function& function : module.functions) {
    for (const Instruction& instruction : function.instructions) {
      opcodes.insert(instruction.opcode);
    }
  }
  return opcodes;
}

TEST(Corpus, ObjectsAndPointers) {
  const Module module = ParseCorpus("objects.ptx");
  EXPECT_THAT(Unsupported(module), IsEmpty());
  const Variable* const vtable = module.FindVariable("_ZTV6Square");
  ASSERT_NE(vtable, nullptr);
  EXPECT_EQ(vtable->addresses.at(0).symbol, "_ZNK6Square4AreaEf");
  EXPECT_EQ(vtable->addresses.at(0).offset_bytes, 16U);
  EXPECT_EQ(module.FindVariable("packed")->addresses.at(0).offset_bytes, 8U);
  EXPECT_TRUE(module.FindVariable("to_counter")->addresses.at(0).generic);
  EXPECT_EQ(module.FindVariable("managed")->initial.at(0), 5);
  const Function* const sum = module.FindFunction("_Z3SumPKfPfi");
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(sum->max_threads, 256U);
  EXPECT_EQ(sum->min_blocks_per_sm, 2U);
  EXPECT_EQ(sum->parameters.size(), 3U);
  EXPECT_TRUE(module.FindFunction("vprintf")->is_declaration);
  EXPECT_FALSE(module.FindFunction("_Z5CallsPfi")->call_prototypes.empty());
  EXPECT_THAT(Opcodes(module), Contains(Opcode::kShfl));
}

TEST(Corpus, WarpsAndTensorCores) {
  const Module module = ParseCorpus("warps.ptx");
  EXPECT_THAT(Unsupported(module), IsEmpty());
  for (const Opcode opcode :
       {Opcode::kWmma, Opcode::kMma, Opcode::kLdmatrix, Opcode::kMbarrier, Opcode::kCpAsync,
        Opcode::kRedux, Opcode::kElect, Opcode::kLop3, Opcode::kCreatePolicy, Opcode::kBar}) {
    EXPECT_THAT(Opcodes(module), Contains(opcode)) << ToString(opcode);
  }
  EXPECT_EQ(module.files.at(1), "warps.cu");
  std::set<std::uint32_t> lines;
  for (const Instruction& instruction :
       module.FindFunction("_Z6CopiesPK6float4PS_")->instructions) {
    if (instruction.source.file == 1) {
      lines.insert(instruction.source.line);
    }
  }
  EXPECT_GE(lines.size(), 3U);
}

TEST(Corpus, DebugBuild) {
  const Module module = ParseCorpus("debug.ptx");
  EXPECT_THAT(Unsupported(module), IsEmpty());
  EXPECT_EQ(module.target, "sm_75");
  EXPECT_GT(module.functions.size(), 10U);
}

TEST(Corpus, TruncatedTextIsAnErrorOrAModule) {
  std::minstd_rand random(1);
  for (const char* const name : {"objects.ptx", "warps.ptx", "debug.ptx"}) {
    const std::string text = ReadCorpus(name);
    for (int i = 0; i < 300; ++i) {
      ExpectConsistent(std::string_view(text).substr(0, random() % text.size()));
    }
  }
}

TEST(Corpus, FlippedBitsAreAnErrorOrAModule) {
  std::minstd_rand random(2);
  for (const char* const name : {"objects.ptx", "warps.ptx", "debug.ptx"}) {
    const std::string text = ReadCorpus(name);
    for (int i = 0; i < 600; ++i) {
      std::string damaged = text;
      for (std::uint64_t flips = 1 + random() % 4; flips > 0; --flips) {
        damaged[random() % damaged.size()] ^= static_cast<char>(1U << (random() % 8));
      }
      ExpectConsistent(damaged);
    }
  }
}

TEST(Corpus, MovedAndRepeatedLinesAreAnErrorOrAModule) {
  std::minstd_rand random(3);
  for (const char* const name : {"objects.ptx", "warps.ptx"}) {
    const std::string text = ReadCorpus(name);
    for (int i = 0; i < 600; ++i) {
      std::string damaged = text;
      const std::size_t from = random() % text.size();
      const std::size_t length = random() % 400;
      damaged.insert(random() % damaged.size(), text.substr(from, length));
      damaged.erase(random() % damaged.size(), random() % 100);
      ExpectConsistent(damaged);
    }
  }
}

TEST(Corpus, HostileTextTakesNeitherTimeNorMemory) {
  std::string nested = ModuleText(".entry k() ");
  ExpectConsistent(nested + std::string(1'000'000, '{'));
  ExpectConsistent(ModuleText(".entry k() { .reg .b32 %r<16000000>; exit; }"));
  ExpectConsistent(ModuleText(".entry k() { ") + std::string(500'000, ';') + "}");
  std::string labels = ModuleText(".entry k() { ");
  for (int i = 0; i < 50'000; ++i) {
    labels += "bra L;";
  }
  ExpectConsistent(labels + "L: exit; }");
  std::string scopes = ModuleText(".entry k() { ");
  for (int i = 0; i < 60; ++i) {
    scopes += "{ bra L; ";
  }
  ExpectConsistent(scopes + std::string(60, '}') + " L: exit; }");
  ExpectConsistent(ModuleText(".entry k() { mov.b32 {") + std::string(100'000, '_') + "}, 1; }");
}

}  // namespace
}  // namespace assay::gpu::ptx
