// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "cli/commands.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

TEST(DoctorCommand, KeepsNothingWhereALinkLeads) {
  const TemporaryRepository files;
  std::filesystem::create_directory_symlink(files.root() / "challenges", files.root() / ".assay");
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err};
  EXPECT_EQ(RunDoctor({.common = {.root = files.root()}}, console), 2);
  EXPECT_THAT(err.str(), ::testing::HasSubstr("assay: .assay: is a symbolic link"));
}

}  // namespace
}  // namespace assay
