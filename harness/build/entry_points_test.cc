// SPDX-License-Identifier: Apache-2.0
#include "build/entry_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

extern "C" int entry_points_test_plain() { return 1; }
namespace entry_points_test {
int Mangled() { return 2; }
}  // namespace entry_points_test
#pragma weak entry_points_test_nowhere
extern "C" int entry_points_test_nowhere();

namespace assay {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string ThisProgram() { return ReadFile("/proc/self/exe", std::size_t{1} << 30).value_or(""); }

TEST(DefinedSymbols, AreThoseOfTheFileAndNotWhatItRefersTo) {
  ASSERT_EQ(entry_points_test_plain() + entry_points_test::Mangled() +
                (entry_points_test_nowhere == nullptr ? 0 : 1),
            3);
  const auto symbols = DefinedSymbols(ThisProgram());
  EXPECT_THAT(symbols, Contains("entry_points_test_plain"));
  EXPECT_THAT(symbols, Contains("_ZN17entry_points_test7MangledEv"));
  EXPECT_THAT(symbols, Not(Contains("entry_points_test_nowhere")));
}

TEST(DefinedSymbols, BrokenFilesGiveWhatCanBeRead) {
  EXPECT_THAT(DefinedSymbols(""), IsEmpty());
  EXPECT_THAT(DefinedSymbols("#!/bin/sh\n"), IsEmpty());
  const std::string whole = ThisProgram();
  EXPECT_THAT(DefinedSymbols(std::string_view(whole).substr(0, whole.size() / 2)), IsEmpty());
  std::string broken = whole;
  broken.replace(0x28, 8, "\xff\xff\xff\xff\xff\xff\xff\xff");  // Where the sections are.
  EXPECT_THAT(DefinedSymbols(broken), IsEmpty());
}

TEST(FindMissing, SaysWhatIsDefinedNowhereAndWhatAsCpp) {
  EXPECT_EQ(FindMissing({"f", "g"}, {"f", "g", "h"}), MissingEntryPoints{});
  EXPECT_EQ(FindMissing({}, {}), MissingEntryPoints{});
  const MissingEntryPoints one = FindMissing({"f", "g"}, {"f"});
  EXPECT_FALSE(one.all);
  EXPECT_EQ(one.description, "required entry points are missing: g defined nowhere");
  const MissingEntryPoints all = FindMissing({"add", "sub"}, {"_Z3addii", "_ZN1n3subEv"});
  EXPECT_TRUE(all.all);
  EXPECT_THAT(all.description, HasSubstr("add, sub defined as C++: include interface.h there"));
}

}  // namespace
}  // namespace assay
