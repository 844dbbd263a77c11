// SPDX-License-Identifier: Apache-2.0
#include "gpu/tool/program_libraries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "base/temporary.h"
#include "gpu/tool/run_cuda.h"

namespace assay::gpu {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(ProgramLibraries, AreReadFromTheProgram) {
  const ProgramLibraries libraries = ReadProgramLibraries(ASSAY_TEST_CALLS_CUBLAS);
  EXPECT_THAT(libraries.needed, AllOf(Contains("libcublas.so.13"), Contains("libc.so.6")));
  EXPECT_THAT(libraries.undefined, Contains("cublasCreate_v2"));
  EXPECT_THAT(libraries.undefined, Not(Contains("main")));
}

TEST(ProgramLibraries, OfWhatIsNoProgramAreUnknown) {
  const auto folder = TemporaryDirectory::Create(std::filesystem::temp_directory_path(), "elf");
  ASSERT_TRUE(folder) << ToString(folder.error());
  const auto whole = ReadFile(ASSAY_TEST_CALLS_CUBLAS);
  ASSERT_TRUE(whole) << ToString(whole.error());
  const std::filesystem::path file = folder->path() / "program";
  for (const std::size_t length : {std::size_t{0}, std::size_t{5}, whole->size() / 2}) {
    ASSERT_TRUE(WriteFileAtomically(file, whole->substr(0, length)));
    EXPECT_THAT(ReadProgramLibraries(file).needed, IsEmpty()) << length;
  }
  EXPECT_THAT(ReadProgramLibraries("/no/such/program").needed, IsEmpty());
}

TEST(ProgramLibraries, ACallOfOneThatTheEmulatedGpuLacksIsNamed) {
  EXPECT_THAT(LackingLibrariesOf(ASSAY_TEST_CALLS_CUBLAS),
              ElementsAre(AllOf(HasSubstr("the emulated GPU has no cuBLAS"),
                                HasSubstr("cublasCreate_v2 of libcublas.so.13"))));
  EXPECT_THAT(LackingLibrariesOf(ASSAY_TEST_NAMES_CUBLAS), IsEmpty());
}

TEST(ProgramLibraries, ACallByALibraryOfItsOwnIsNamedToo) {
  EXPECT_THAT(LackingLibrariesOf(ASSAY_TEST_CALLS_OWN_LIBRARY),
              ElementsAre(HasSubstr("the emulated GPU has no cuBLAS: the program's "
                                    "libgpu_tool_own_library.so calls cublasCreate_v2")));
}

TEST(ProgramLibraries, ALibraryOfItsOwnIsFoundWhereTheLoaderLooks) {
  namespace fs = std::filesystem;
  const auto folder = TemporaryDirectory::Create(fs::temp_directory_path(), "elf");
  ASSERT_TRUE(folder) << ToString(folder.error());
  // The build's search path is that of the build tree; this one leads beside the program.
  auto program = ReadFile(ASSAY_TEST_CALLS_OWN_LIBRARY);
  ASSERT_TRUE(program) << ToString(program.error());
  const std::string path = ReadProgramLibraries(ASSAY_TEST_CALLS_OWN_LIBRARY).search_paths.at(0);
  const std::string beside = "/nowhere:${ORIGIN}/lib";
  ASSERT_GT(path.size(), beside.size());
  const std::size_t at = program->find(path + '\0');
  ASSERT_NE(at, std::string::npos);
  program->replace(at, beside.size() + 1, beside + '\0');
  ASSERT_TRUE(WriteFileAtomically(folder->path() / "program", *program));
  EXPECT_THAT(LackingLibrariesOf(folder->path() / "program"), IsEmpty());
  fs::create_directory(folder->path() / "lib");
  fs::copy_file(ASSAY_TEST_OWN_LIBRARY,
                folder->path() / "lib" / fs::path(ASSAY_TEST_OWN_LIBRARY).filename());
  EXPECT_THAT(LackingLibrariesOf(folder->path() / "program"),
              ElementsAre(HasSubstr("libgpu_tool_own_library.so calls cublasCreate_v2")));
}

TEST(ProgramLibraries, AProgramThatCallsOneIsNotStartedAndCountsAsAnError) {
  CudaRunRequest request;
  request.files = {ASSAY_TEST_CALLS_CUBLAS};
  request.keep = KeepLaunches::kYes;
  const auto run = RunCuda(request);
  ASSERT_TRUE(run) << ToString(run.error());
  EXPECT_EQ(run->exit_code, kExitAfterRefusal);
  EXPECT_EQ(run->summary.finding_counts().errors, 1U);
  EXPECT_THAT(run->launches, ElementsAre(HasSubstr("has no cuBLAS")));
  request.files = {ASSAY_TEST_NAMES_CUBLAS};
  const auto started = RunCuda(request);
  ASSERT_TRUE(started) << ToString(started.error());
  EXPECT_EQ(started->exit_code, 7);
  EXPECT_EQ(started->summary.finding_counts().errors, 0U);
}

}  // namespace
}  // namespace assay::gpu
