// SPDX-License-Identifier: Apache-2.0
#include "build/cuda_toolkit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temporary.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class FindCudaTest : public ::testing::Test {
 protected:
  /// A toolkit of nothing but what is looked for.
  fs::path Make(const std::string& name, int version) const {
    const fs::path prefix = folder_.path() / name;
    fs::create_directories(prefix / "bin");
    fs::create_directories(prefix / "include");
    std::ofstream(prefix / "bin/nvcc") << "#!/bin/sh\n";
    fs::permissions(prefix / "bin/nvcc", fs::perms::owner_all);
    std::ofstream(prefix / "include/cuda_runtime_api.h")
        << "/* */\n#define CUDART_VERSION  " << version << "\n";
    return prefix;
  }

  TemporaryDirectory folder_ =
      TemporaryDirectory::Create(fs::temp_directory_path(), "toolkits").value();
};

TEST_F(FindCudaTest, FirstPrefixWithAToolkitIsTaken) {
  const fs::path none = folder_.path() / "none";
  const fs::path first = Make("first", 13000);
  const fs::path second = Make("second", 11080);
  EXPECT_EQ(FindCuda({none, first, second}).nvcc, first / "bin/nvcc");
  fs::remove(first / "include/cuda_runtime_api.h");
  EXPECT_EQ(FindCuda({none, first, second}).include, second / "include");
  EXPECT_EQ(FindCuda({none}).nvcc, "");
}

TEST_F(FindCudaTest, Cuda11BringsItsOwnCompiler) {
  const std::vector<std::string> flags = {"-O3", "-ccbin", "/usr/bin/g++", "-lineinfo"};
  EXPECT_THAT(NvccFlagsFor(FindCuda({Make("old", 11080)}), flags), ElementsAre("-O3", "-lineinfo"));
  EXPECT_EQ(NvccFlagsFor(FindCuda({Make("new", 13000)}), flags), flags);
  EXPECT_EQ(NvccFlagsFor(CudaToolkit(), flags), flags);
}

}  // namespace
}  // namespace assay
