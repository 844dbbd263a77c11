// SPDX-License-Identifier: Apache-2.0
#include "cudart/runtime/image.h"

#include <gmock/gmock.h>

#include "cudart/fatbin/read_for_test.h"

namespace assay::gpu::runtime {
namespace {

using ::testing::UnorderedElementsAre;

// The numbers are what `ptxas -v` of nvcc 13.0 said of cudart/fatbin/testdata/tiny.cu.
TEST(Image, HasWhatPtxasMadeOfKernels) {
  const Bytes bytes = ReadTestdata("none.fatbin");
  Binary binary;
  binary.wrapper = bytes.data();
  const auto image = ReadImage(binary, 80);
  ASSERT_TRUE(image) << image.error().detail;
  EXPECT_THAT(image->machine_code,
              UnorderedElementsAre(MachineCode{"Scale", 8, 0}, MachineCode{"Pick", 10, 104}));
}

}  // namespace
}  // namespace assay::gpu::runtime
