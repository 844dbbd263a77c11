// SPDX-License-Identifier: Apache-2.0
#include "gpu/tool/nvcc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/temporary.h"

namespace assay::gpu {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

NvccProgram Program(std::vector<std::string> flags, GpuModel model = H100()) {
  return {.nvcc = "/cuda/bin/nvcc",
          .model = std::move(model),
          .flags = std::move(flags),
          .files = {"a.cu", "b.cu"},
          .library_folder = "/build/lib",
          .output = "/tmp/x/a"};
}

TEST(Nvcc, BuildsForTheNamedGpuWithLinesAndOurRuntime) {
  EXPECT_THAT(NvccCommand(Program({"-O3"})),
              ElementsAre("/cuda/bin/nvcc", "-cudart", "none", "-lineinfo", "-gencode",
                          "arch=compute_90,code=[sm_90,compute_90]", "-O3", "a.cu", "b.cu",
                          "-L/build/lib", "-lassay_cudart", "-Xlinker", "-rpath", "-Xlinker",
                          "/build/lib", "-o", "/tmp/x/a"));
  EXPECT_THAT(NvccCommand(Program({}, Rtx4090())),
              ::testing::Contains("arch=compute_89,code=[sm_89,compute_89]"));
}

TEST(Nvcc, FlagsOfTheUserComeInsteadOfOurs) {
  for (const char* const flag :
       {"-arch=sm_80", "--gpu-architecture=sm_80", "-gencode", "-gencode=arch=compute_80"}) {
    EXPECT_THAT(NvccCommand(Program({flag})), Not(::testing::Contains(HasSubstr("compute_90"))))
        << flag;
  }
  EXPECT_THAT(NvccCommand(Program({"-G"})), Not(::testing::Contains("-lineinfo")));
}

TEST(Nvcc, KnowsWhichFlagsTakeTheNextArgument) {
  for (const char* const flag : {"-I", "-arch", "--define-macro", "-Xcompiler", "-std", "-x"}) {
    EXPECT_TRUE(NvccTakesNextArgument(flag)) << flag;
  }
  for (const char* const flag : {"-Iinclude", "-std=c++17", "-O3", "-G", "--use_fast_math", "-g"}) {
    EXPECT_FALSE(NvccTakesNextArgument(flag)) << flag;
  }
}

TEST(Nvcc, RefusesWhatLeavesNoProgramOfOurs) {
  const auto why = [](std::vector<std::string> flags) {
    const Status status = CheckNvccFlags(flags);
    return status ? "" : ToString(status.error());
  };
  EXPECT_EQ(why({"-O3", "-Iinclude", "-I", "dir", "-rdc=false"}), "");
  EXPECT_THAT(why({"-c"}), HasSubstr("nvcc flag -c leaves no program to run"));
  EXPECT_THAT(why({"--ptx"}), HasSubstr("--ptx"));
  EXPECT_THAT(why({"-o", "x"}), HasSubstr("-o is for assay cuda run to set"));
  EXPECT_THAT(why({"-cudart=static"}), HasSubstr("-cudart"));
  EXPECT_THAT(why({"-rdc=true"}), AllOf(HasSubstr("PTX"), HasSubstr("in one file")));
  EXPECT_THAT(why({"-rdc", "true"}), HasSubstr("-rdc=true"));
  EXPECT_EQ(why({"-rdc"}), "");  // nvcc says that a value is missing.
}

TEST(Nvcc, IsTheFirstInItsFolders) {
  const auto folder =
      TemporaryDirectory::Create(std::filesystem::temp_directory_path(), "nvcc-test");
  ASSERT_TRUE(folder) << ToString(folder.error());
  const std::filesystem::path nvcc = folder->path() / "nvcc";
  ASSERT_TRUE(WriteFileAtomically(nvcc, "#!/bin/sh\n"));
  EXPECT_FALSE(FindNvcc({folder->path()}).has_value());  // Not executable.
  std::filesystem::permissions(nvcc, std::filesystem::perms::owner_all);
  EXPECT_EQ(FindNvcc({"/nowhere", folder->path()}).value_or(""), nvcc);
}

TEST(Nvcc, OfCudaHomeComesBeforePathsAndUsualPlacesLast) {
  ::setenv("CUDA_HOME", "/home/cuda-11.8", 1);
  const std::vector<std::filesystem::path> folders = NvccFolders();
  ::unsetenv("CUDA_HOME");
  ASSERT_GE(folders.size(), 3U);
  EXPECT_EQ(folders.front(), "/home/cuda-11.8/bin");
  EXPECT_EQ(folders[folders.size() - 2], "/usr/local/cuda/bin");
  EXPECT_EQ(folders.back(), "/opt/cuda/bin");
}

TEST(Nvcc, WithoutItTheErrorSaysHowToGetIt) {
  const auto nvcc = FindNvcc({"/nowhere"});
  ASSERT_FALSE(nvcc.has_value());
  EXPECT_EQ(nvcc.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(ToString(nvcc.error()), HasSubstr("scripts/setup --cuda"));
}

}  // namespace
}  // namespace assay::gpu
