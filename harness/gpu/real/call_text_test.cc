// SPDX-License-Identifier: Apache-2.0
#include "gpu/real/call_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace assay::gpu::real {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CallText, TakesEveryKindOfArgument) {
  const std::vector<std::string_view> words = {
      "softmax",     "u64=7",   "in=f64:3", "out=i32:12", "scratch=bytes_of(1,22,333)",
      "u64=scratch", "stream=1"};
  const auto call = ParseCall(words);
  ASSERT_TRUE(call.has_value()) << ToString(call.error());
  EXPECT_EQ(call->operation, "softmax");
  ASSERT_EQ(call->arguments.size(), 6U);
  EXPECT_EQ(std::get<NumberArgument>(call->arguments[0]).value, 7U);
  EXPECT_EQ(std::get<InputArgument>(call->arguments[1]).element_bytes, 8U);
  EXPECT_EQ(std::get<InputArgument>(call->arguments[1]).count, 3U);
  EXPECT_EQ(std::get<OutputArgument>(call->arguments[2]).element_bytes, 4U);
  EXPECT_EQ(std::get<OutputArgument>(call->arguments[2]).count, 12U);
  const auto& scratch = std::get<ScratchArgument>(call->arguments[3]);
  EXPECT_EQ(scratch.operation, "bytes_of");
  EXPECT_THAT(scratch.arguments, ElementsAre(1, 22, 333));
  EXPECT_TRUE(std::holds_alternative<ScratchBytesArgument>(call->arguments[4]));
  EXPECT_EQ(std::get<StreamArgument>(call->arguments[5]).kind, 1U);
}

TEST(CallText, NamesTheWordThatIsWrong) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"u32=1", "\"u32\" is no kind of argument"},
      {"u64=-1", "\"-1\" is not a number"},
      {"u64=18446744073709551616", "is not a number"},
      {"in=i32:4", "types are f32, f64"},
      {"in=f32", "no type and count"},
      {"out=f32:0", "0 elements are not between 1 and"},
      {"scratch=bytes_of(1", "brackets"},
      {"scratch=bytes_of(1,x)", "\"x\" is not a number"},
      {"stream=2", "streams are of kind 0 (default) or 1 (non-blocking)"},
      {"", "\"\" is no kind of argument"},
  };
  for (const auto& [word, cause] : cases) {
    const std::vector<std::string_view> words = {"operation", word};
    const auto call = ParseCall(words);
    ASSERT_FALSE(call.has_value()) << word;
    EXPECT_EQ(call.error().where, word);
    EXPECT_THAT(call.error().cause, HasSubstr(std::string(cause)));
  }
}

TEST(CallText, WantsAnOperationAndOneScratch) {
  EXPECT_FALSE(ParseCall({}).has_value());
  const std::vector<std::string_view> twice = {"operation", "scratch=1", "scratch=2"};
  const auto call = ParseCall(twice);
  ASSERT_FALSE(call.has_value());
  EXPECT_EQ(call.error().where, "scratch=2");
}

}  // namespace
}  // namespace assay::gpu::real
