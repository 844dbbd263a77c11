// SPDX-License-Identifier: Apache-2.0
// Programs of CUDA 11, 12 and 13 on one runtime: what each hands over where they differ. Functions
// are declared here as each version's headers do, with structures as raw bytes, whatever toolkit
// this test is compiled beside.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "cudart/runtime/toolkit_version.h"
#include "cudart/runtime/version_test.h"
#include "emulator/report/cuda_error.h"

namespace assay::gpu::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using version_test::Node;

// nvcc's of 11.8, 12.4, 13.0.
constexpr PtxVersion kPtx11{7, 8};
constexpr PtxVersion kPtx12{8, 4};
constexpr PtxVersion kPtx13{9, 0};

/// Room for any structure, and whether what lies behind one was left alone.
struct Room {
  static constexpr std::byte kUntouched{0xA5};
  Room() { bytes.fill(kUntouched); }
  template <class T>
  [[nodiscard]] T At(std::size_t offset) const {
    T value;
    std::memcpy(&value, &bytes[offset], sizeof value);
    return value;
  }
  /// Bytes up to the last one that was written.
  [[nodiscard]] std::size_t WrittenBytes() const {
    std::size_t size = bytes.size();
    while (size > 0 && bytes[size - 1] == kUntouched) {
      --size;
    }
    return size;
  }
  std::array<std::byte, 2048> bytes;
};

class ProgramVersionTest : public RuntimeTest {
 protected:
  ~ProgramVersionTest() override { ::unsetenv("ASSAY_CUDA_VERSION"); }

  /// A graph of two empty nodes, the second behind the first.
  void* Graph() {
    void* graph = nullptr;
    EXPECT_EQ(version_test::GraphCreate(&graph, 0), 0);
    EXPECT_EQ(version_test::AddEmptyNode(&first_, graph, nullptr, 0), 0);
    EXPECT_EQ(version_test::AddEmptyNode(&second_, graph, &first_, 1), 0);
    return graph;
  }
  Node first_ = nullptr;
  Node second_ = nullptr;
};

TEST_F(ProgramVersionTest, PropertiesHaveTheLayoutOfTheProgramsVersion) {
  constexpr int kMultiprocessors = 132;
  Room of11;
  Register(kPtx11);
  ASSERT_EQ(version_test::GetProperties(of11.bytes.data(), 0), 0);
  EXPECT_EQ(of11.WrittenBytes(), 728U);
  EXPECT_EQ(of11.At<int>(388), kMultiprocessors);
  EXPECT_EQ(of11.At<std::size_t>(720), 1024U);  // Reserved shared memory a block.

  Room of12;
  Register(kPtx12);
  ASSERT_EQ(version_test::GetProperties_v2(of12.bytes.data(), 0), 0);
  EXPECT_EQ(of12.WrittenBytes(), 1032U);
  EXPECT_EQ(of12.At<int>(388), kMultiprocessors);
  EXPECT_EQ(of12.At<int>(728), 1);  // Host memory can be registered.
  Room plain_of12;
  ASSERT_EQ(version_test::GetProperties(plain_of12.bytes.data(), 0), 0);
  EXPECT_EQ(plain_of12.WrittenBytes(), 728U);

  Room of13;
  Register(kPtx13);
  ASSERT_EQ(version_test::GetProperties(of13.bytes.data(), 0), 0);
  EXPECT_EQ(of13.WrittenBytes(), 1008U);
  EXPECT_EQ(of13.At<int>(384), kMultiprocessors);
  EXPECT_EQ(of13.At<std::size_t>(696), 1024U);
}

TEST_F(ProgramVersionTest, NoStructureIsWrittenPastItsEnd) {
  Room of11;
  Register(kPtx11);
  ASSERT_EQ(version_test::FuncGetAttributes(of11.bytes.data(), kernel()), 0);
  EXPECT_EQ(of11.WrittenBytes(), 56U);
  Room of13;
  Register(kPtx13);
  ASSERT_EQ(version_test::FuncGetAttributes(of13.bytes.data(), kernel()), 0);
  EXPECT_EQ(of13.WrittenBytes(), 144U);
  EXPECT_EQ(of13.At<int>(28), 96);  // Registers.
  Room pointer;
  ASSERT_EQ(version_test::PointerGetAttributes(pointer.bytes.data(), Allocated(4)), 0);
  EXPECT_EQ(pointer.WrittenBytes(), 24U);
}

TEST_F(ProgramVersionTest, GraphsAreInstantiatedByEachSignature) {
  void* exec = nullptr;
  // As 11 has it, where flags would ask for launches from the device if they were read.
  Register(kPtx11);
  std::array<char, 8> text = {'x'};
  alignas(8) std::array<Node, 2> nodes = {&text};
  ASSERT_EQ(version_test::GraphInstantiate11(&exec, Graph(), nodes.data(), text.data(), 8), 0);
  EXPECT_EQ(nodes[0], nullptr);
  EXPECT_EQ(text[0], '\0');
  Room result;
  EXPECT_EQ(version_test::GraphExecUpdate11(exec, Graph(), nodes.data(), result.bytes.data()), 0);
  EXPECT_EQ(result.WrittenBytes(), 4U);

  for (const PtxVersion& version : {kPtx12, kPtx13}) {
    Register(version);
    constexpr unsigned long long kDeviceLaunch = 4;
    EXPECT_EQ(version_test::GraphInstantiate12(&exec, Graph(), kDeviceLaunch),
              cuda_error::kNotSupported);
    ASSERT_EQ(version_test::GraphInstantiate12(&exec, Graph(), 0), 0);
    Room info;
    EXPECT_EQ(version_test::GraphExecUpdate12(exec, Graph(), info.bytes.data()), 0);
    EXPECT_EQ(info.WrittenBytes(), 24U);
    void* empty = nullptr;
    version_test::GraphCreate(&empty, 0);
    EXPECT_EQ(version_test::GraphExecUpdate12(exec, empty, info.bytes.data()),
              cuda_error::kGraphExecUpdateFailure);
    EXPECT_EQ(info.At<int>(0), 2);
  }
}

TEST_F(ProgramVersionTest, EdgesAreToldByEachSignature) {
  for (const PtxVersion& version : {kPtx11, kPtx12}) {
    Register(version);
    void* const graph = Graph();
    std::array<Node, 1> from{};
    std::array<Node, 1> to{};
    std::size_t count = 1;
    ASSERT_EQ(version_test::GetEdges11(graph, from.data(), to.data(), &count), 0);
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(from[0], first_);
    EXPECT_EQ(to[0], second_);
    ASSERT_EQ(version_test::RemoveDependencies11(graph, from.data(), to.data(), 1), 0);
    ASSERT_EQ(version_test::GetDependencies11(second_, nullptr, &count), 0);
    EXPECT_EQ(count, 0U);
    ASSERT_EQ(version_test::AddDependencies11(graph, from.data(), to.data(), 1), 0);
    ASSERT_EQ(version_test::GetDependents11(first_, nullptr, &count), 0);
    EXPECT_EQ(count, 1U);
  }
  Register(kPtx13);
  void* const graph = Graph();
  std::array<Node, 1> from{};
  std::array<Node, 1> to{};
  Room data;
  std::size_t count = 1;
  ASSERT_EQ(version_test::GetEdges13(graph, from.data(), to.data(), data.bytes.data(), &count), 0);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(from[0], first_);
  EXPECT_EQ(data.WrittenBytes(), 8U);
  ASSERT_EQ(version_test::RemoveDependencies13(graph, from.data(), to.data(), nullptr, 1), 0);
  ASSERT_EQ(version_test::GetDependencies13(second_, nullptr, nullptr, &count), 0);
  EXPECT_EQ(count, 0U);
  ASSERT_EQ(version_test::AddDependencies13(graph, from.data(), to.data(), nullptr, 1), 0);
  ASSERT_EQ(version_test::GetDependents13(first_, nullptr, nullptr, &count), 0);
  EXPECT_EQ(count, 1U);
  // 12 calls the same by these names.
  ASSERT_EQ(version_test::GetEdges12v2(graph, from.data(), to.data(), data.bytes.data(), &count),
            0);
  EXPECT_EQ(count, 1U);
}

TEST_F(ProgramVersionTest, StreamOfAPrefetchIsFoundInItsPlace) {
  constexpr std::uint64_t kLocation = 1;  // Device 0.
  void* managed_memory = nullptr;
  ASSERT_EQ(version_test::MallocManaged(&managed_memory, 64, 1), 0);
  void* const no_stream = &managed_memory;
  for (const PtxVersion& version : {kPtx11, kPtx12}) {
    Register(version);
    EXPECT_EQ(version_test::Prefetch11(managed_memory, 64, 0, nullptr), 0);
    EXPECT_EQ(version_test::Prefetch11(managed_memory, 64, 0, no_stream),
              cuda_error::kInvalidResourceHandle);
    EXPECT_EQ(version_test::PrefetchOwn11(managed_memory, 64, 0, no_stream),
              cuda_error::kInvalidResourceHandle);
  }
  Register(kPtx13);
  EXPECT_EQ(version_test::Prefetch13(managed_memory, 64, kLocation, 0, nullptr), 0);
  EXPECT_EQ(version_test::Prefetch13(managed_memory, 64, kLocation, 0, no_stream),
            cuda_error::kInvalidResourceHandle);
  EXPECT_EQ(version_test::PrefetchOwn13(managed_memory, 64, kLocation, 0, nullptr), 0);
}

TEST_F(ProgramVersionTest, CaptureTellsAsMuchAsIsAskedFor) {
  void* stream = nullptr;
  ASSERT_EQ(version_test::StreamCreate(&stream), 0);
  ASSERT_EQ(version_test::BeginCapture(stream, 0), 0);
  int status = 0;
  unsigned long long id = 0;
  for (const PtxVersion& version : {kPtx11, kPtx12}) {
    Register(version);
    EXPECT_EQ(version_test::CaptureInfo11(stream, &status, &id), 0);
    EXPECT_EQ(status, 1);
  }
  void* graph = nullptr;
  std::size_t count = 9;
  EXPECT_EQ(version_test::CaptureInfo_v2(stream, &status, &id, &graph, nullptr, &count), 0);
  EXPECT_NE(graph, nullptr);
  EXPECT_EQ(count, 0U);
  Register(kPtx13);
  void* same_graph = nullptr;
  count = 9;
  EXPECT_EQ(
      version_test::CaptureInfo13(stream, &status, &id, &same_graph, nullptr, nullptr, &count), 0);
  EXPECT_EQ(same_graph, graph);
  EXPECT_EQ(count, 0U);
}

TEST_F(ProgramVersionTest, RuntimeHasTheVersionOfTheProgram) {
  const auto version_with = [&](const PtxVersion& ptx) {
    Register(ptx);
    int version = 0;
    EXPECT_EQ(version_test::RuntimeVersion(&version), 0);
    return version;
  };
  EXPECT_EQ(version_with({7, 8}), 11080);
  EXPECT_EQ(version_with({8, 0}), 12000);
  EXPECT_EQ(version_with({8, 5}), 12050);
  EXPECT_EQ(version_with({8, 7}), 12080);
  EXPECT_EQ(version_with({8, 8}), 12090);
  EXPECT_EQ(version_with({9, 0}), 13000);
}

/// In a process in which nothing was ever registered.
void AskWithoutFatBinary() {
  Room room;
  const int refused = version_test::GetProperties(room.bytes.data(), 0);
  const bool untouched = room.WrittenBytes() == 0;
  ::setenv("ASSAY_CUDA_VERSION", "11.8", 1);
  const int served = version_test::GetProperties(room.bytes.data(), 0);
  for (const std::string& notice : Notices()) {
    std::fprintf(stderr, "%s\n", notice.c_str());
  }
  std::exit(refused == cuda_error::kNotSupported && untouched && served == 0 &&
                    room.WrittenBytes() == 728
                ? 0
                : 1);
}

TEST(ProgramVersionDeathTest, ProgramThatSaysNothingIsRefusedByName) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(AskWithoutFatBinary(), ::testing::ExitedWithCode(0),
              "cudaGetDeviceProperties: .*none of its code was compiled by nvcc; set "
              "ASSAY_CUDA_VERSION to");
}

TEST_F(ProgramVersionTest, ProgramOfTwoVersionsIsRefusedByNameWhereTheyDiffer) {
  Register(kPtx13);
  void** const other = RegisterEmpty(kPtx11);
  Room room;
  EXPECT_EQ(version_test::GetProperties(room.bytes.data(), 0), cuda_error::kNotSupported);
  EXPECT_EQ(version_test::GetProperties(nullptr, 0), cuda_error::kInvalidValue);
  EXPECT_EQ(room.WrittenBytes(), 0U);
  EXPECT_THAT(Notices(), ElementsAre(HasSubstr("compiled by CUDA 11.8 and by 13.0")));
  // As much as both have.
  EXPECT_EQ(version_test::FuncGetAttributes(room.bytes.data(), kernel()), 0);
  EXPECT_EQ(room.WrittenBytes(), 56U);
  void* exec = nullptr;
  EXPECT_EQ(version_test::GraphInstantiate12(&exec, Graph(), 0), cuda_error::kNotSupported);
  version_test::UnregisterFatBinary(other);
  EXPECT_EQ(version_test::GetProperties(room.bytes.data(), 0), 0);
  EXPECT_EQ(room.WrittenBytes(), 1008U);
}

TEST_F(ProgramVersionTest, VersionsThatAreNotServedAreRefusedByName) {
  Room room;
  Register({7, 4});
  EXPECT_EQ(version_test::GetProperties(room.bytes.data(), 0), cuda_error::kNotSupported);
  Register({10, 0});
  EXPECT_EQ(version_test::GetProperties(room.bytes.data(), 0), cuda_error::kNotSupported);
  EXPECT_EQ(room.WrittenBytes(), 0U);
  EXPECT_THAT(Notices(),
              ElementsAre(HasSubstr("compiled by CUDA 11.4; 11.8, 12 and 13 are served"),
                          HasSubstr("compiled by CUDA 14.0; 11.8, 12 and 13 are served")));
  ::setenv("ASSAY_CUDA_VERSION", "13", 1);
  EXPECT_EQ(version_test::GetProperties(room.bytes.data(), 0), 0);
  EXPECT_EQ(room.WrittenBytes(), 1008U);
}

TEST(ToolkitVersion, IsReadAsPeopleWriteIt) {
  EXPECT_EQ(ReadToolkitVersion("11.8"), (ToolkitVersion{11, 8}));
  EXPECT_EQ(ReadToolkitVersion("13"), (ToolkitVersion{13, 0}));
  for (const char* const text : {"", "x", "11.", "11.8.0", "v12", "12 "}) {
    EXPECT_EQ(ReadToolkitVersion(text), std::nullopt) << text;
  }
  EXPECT_EQ(ToString(ToolkitVersion{12, 9}), "12.9");
}

}  // namespace
}  // namespace assay::gpu::runtime
