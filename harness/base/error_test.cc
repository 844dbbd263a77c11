// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace assay {
namespace {

TEST(ErrorTest, NamesPlaceCauseAndRemedy) {
  const Error error{.kind = ErrorKind::kConfiguration,
                    .where = "a.yaml:7",
                    .cause = "sources[0] \"b.cc\" does not exist",
                    .remedy = "list files relative to this directory"};
  EXPECT_EQ(ToString(error),
            "a.yaml:7: sources[0] \"b.cc\" does not exist; list files relative to this directory");
}

TEST(ErrorTest, LeavesOutWhatIsEmpty) {
  EXPECT_EQ(ToString(Error{.where = "", .cause = "broke", .remedy = ""}), "broke");
}

TEST(ErrorTest, SystemErrorSaysWhatTheSystemSaid) {
  EXPECT_EQ(ToString(SystemError("open x", ENOENT)), "open x: No such file or directory");
}

Result<int> Half(int value) {
  if (value % 2 != 0) {
    return std::unexpected(Error{.where = "", .cause = "odd", .remedy = ""});
  }
  return value / 2;
}

Result<int> Quarter(int value) {
  ASSAY_ASSIGN_OR_RETURN(const int half, Half(value));
  ASSAY_RETURN_IF_ERROR(Half(half));
  return half / 2;
}

TEST(ErrorTest, MacrosReturnTheFirstError) {
  EXPECT_EQ(Quarter(8).value(), 2);
  EXPECT_EQ(Quarter(7).error().cause, "odd");
  EXPECT_EQ(Quarter(6).error().cause, "odd");
}

}  // namespace
}  // namespace assay
