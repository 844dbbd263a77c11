// SPDX-License-Identifier: Apache-2.0
#include "grade/size_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST(SizeRecorder, CountsTheSizesThatItTellsOf) {
  EXPECT_EQ(CountSizes(""), 0);
  EXPECT_EQ(CountSizes("rows 4\n# assay: size 1\ntook 3 ms\n# assay: size 2\n"), 2);
  EXPECT_EQ(CountSizes("# assay: size 2\n# assay: size 1"), 2);
}

TEST(SizeRecorder, OtherLinesSayNothing) {
  EXPECT_EQ(CountSizes(" # assay: size 1\n# assay: size\n# assay: size x\n# assay: size 2 or 3\n"
                       "# assay: size 99999999999999\n# assay: size -4\n"),
            0);
}

TEST(SizeRecorder, DoesNotTellMoreSizesApartThanItSays) {
  EXPECT_EQ(CountSizes("# assay: size 1000"), kMostSizes);
  EXPECT_EQ(CountSizes("# assay: size 1001"), kMostSizes);
}

TEST(SizeRecorder, SourceHasEachFunctionOnce) {
  const std::string source = SizeRecorderSource({"add", "mean"});
  EXPECT_THAT(source, HasSubstr("&Recorded<0, &assay_real_add>::Call"));
  EXPECT_THAT(source, HasSubstr("&Recorded<1, &assay_real_mean>::Call"));
  EXPECT_THAT(SizeRecorderSource({}), Not(HasSubstr("ifunc")));
}

TEST(SizeRecorder, RenamesEachFunction) {
  const ToolStep tool = ToRenameTool("/a/b.o", {"add", "mean"}, SandboxLevel::kFull, "/out");
  EXPECT_THAT(tool.argv, Contains("--redefine-sym=add=assay_real_add"));
  EXPECT_THAT(tool.argv, Contains("--redefine-sym=mean=assay_real_mean"));
  EXPECT_EQ(CopiedObjectOf(tool), "/out/object.o");
}

}  // namespace
}  // namespace assay
