// SPDX-License-Identifier: Apache-2.0
#include "cli/picture_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/temporary.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class PictureFilesTest : public testing::Test {
 protected:
  PictureFiles Make(const Draw& draw) const {
    return MakePictureFiles(root_.path(), {picture_}, draw);
  }
  PictureFiles Expected(const Draw& draw) const {
    return ExpectedPictureFiles(root_.path(), {picture_}, draw);
  }
  void Put(const std::string& content) const {
    ASSERT_TRUE(WriteFileAtomically(root_.path() / "reports" / picture_.path, content));
  }

  TemporaryDirectory root_ =
      *TemporaryDirectory::Create(std::filesystem::temp_directory_path(), "pictures");
  Picture picture_ = {.path = "pictures/a.svg", .description = "A", .program = "plot x"};
  int drawn_ = 0;
  Draw draw_ = [this](std::string_view) -> Result<std::string> {
    ++drawn_;
    return "<svg/>";
  };
};

TEST_F(PictureFilesTest, ADrawnOneIsNotDrawnAgainWhoeverDrewIt) {
  const PictureFiles made = Make(draw_);
  EXPECT_EQ(made.files.at(picture_.path), StampOf(picture_) + "<svg/>");
  Put(StampOf(picture_) + "<svg>by another gnuplot</svg>");
  EXPECT_EQ(Make(draw_).files.at(picture_.path),
            StampOf(picture_) + "<svg>by another gnuplot</svg>");
  EXPECT_EQ(drawn_, 1);
  EXPECT_EQ(Expected(draw_).files.at(picture_.path),
            StampOf(picture_) + "<svg>by another gnuplot</svg>");
}

TEST_F(PictureFilesTest, OneOfOtherNumbersIsDrawnAgainAndDiffers) {
  Put(StampOf({.path = "", .description = "", .program = "plot y"}) + "<svg/>");
  EXPECT_EQ(Expected(draw_).files.at(picture_.path), StampOf(picture_));
  EXPECT_THAT(Make(draw_).undrawn, IsEmpty());
  EXPECT_EQ(drawn_, 1);
}

TEST_F(PictureFilesTest, WhereNobodyDrawsWhatIsThereStays) {
  EXPECT_THAT(Make({}).files, IsEmpty());
  Put("<!-- an older one -->");
  const PictureFiles made = Make({});
  EXPECT_EQ(made.files.at(picture_.path), "<!-- an older one -->");
  EXPECT_THAT(made.undrawn, ElementsAre(picture_.path));
  EXPECT_THAT(made.errors, IsEmpty());
}

// It could not be mended by `assay report` there.
TEST_F(PictureFilesTest, WhereNobodyDrawsOneThatIsNotThereIsNotMissed) {
  EXPECT_EQ(Expected(draw_).files.at(picture_.path), StampOf(picture_));
  const PictureFiles expected = Expected({});
  EXPECT_THAT(expected.files, IsEmpty());
  EXPECT_THAT(expected.undrawn, ElementsAre(picture_.path));
  Put("<!-- an older one -->");
  EXPECT_EQ(Expected({}).files.at(picture_.path), StampOf(picture_));
}

TEST_F(PictureFilesTest, WhoFailsToDrawIsTold) {
  const PictureFiles made = Make([](std::string_view) -> Result<std::string> {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = "gnuplot",
                                 .cause = "no terminal svg",
                                 .remedy = "install it"});
  });
  EXPECT_THAT(made.files, IsEmpty());
  EXPECT_THAT(made.errors, SizeIs(1));
}

// It was a second document behind the one of `report --json`.
TEST_F(PictureFilesTest, OfAProgramsOutputItIsNoDocumentOfItsOwn) {
  const PictureFiles made = Make([](std::string_view) -> Result<std::string> {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = "gnuplot",
                                 .cause = "no terminal svg",
                                 .remedy = "install it"});
  });
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err};
  EXPECT_EQ(TellUndrawn(made, OutputFormat::kJson, root_.path(), console), 2);
  EXPECT_EQ(out.str() + err.str(), "");
  EXPECT_EQ(TellUndrawn(made, OutputFormat::kText, root_.path(), console), 2);
  EXPECT_EQ(err.str(), "assay: pictures/a.svg: no terminal svg; install it\n");
}

TEST_F(PictureFilesTest, ALinkIsNoPicture) {
  Put("x");
  std::filesystem::remove(root_.path() / "reports" / picture_.path);
  std::filesystem::create_symlink("/etc/passwd", root_.path() / "reports" / picture_.path);
  EXPECT_EQ(Make(draw_).files.at(picture_.path), StampOf(picture_) + "<svg/>");
}

}  // namespace
}  // namespace assay
