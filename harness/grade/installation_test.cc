// SPDX-License-Identifier: Apache-2.0
#include "grade/installation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/temporary.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class InstallationTest : public ::testing::Test {
 protected:
  void Write(const fs::path& path, const std::string& text = "") const {
    fs::create_directories((root() / path).parent_path());
    std::ofstream(root() / path) << text;
  }
  [[nodiscard]] const fs::path& root() const { return folder_.path(); }

 private:
  TemporaryDirectory folder_ =
      TemporaryDirectory::Create(fs::temp_directory_path(), "installation").value();
};

TEST_F(InstallationTest, BuildTreeBelongsToTheCheckoutAboveIt) {
  Write("challenges/adder/challenge.yaml");
  Write("harness/CMakeLists.txt");
  Write("build/challenges/of_somebody_else");
  const auto found = FindInstallation(root() / "build/release/bin/assay");
  ASSERT_TRUE(found.has_value()) << ToString(found.error());
  EXPECT_EQ(found->kind, InstallationKind::kBuildTree);
  EXPECT_EQ(found->sources, root());
  EXPECT_EQ(found->build, root() / "build/release");
  EXPECT_EQ(found->Suite("adder"), root() / "build/release/reference/adder/suite");
}

TEST_F(InstallationTest, BuildTreeElsewhereNamesItsCheckout) {
  Write("checkout/challenges/adder/challenge.yaml");
  Write("checkout/harness/CMakeLists.txt");
  Write("elsewhere/CMakeCache.txt",
        "A:STRING=b\nCMAKE_HOME_DIRECTORY:INTERNAL=" + (root() / "checkout").string() + "\n");
  const auto found = FindInstallation(root() / "elsewhere/bin/assay");
  ASSERT_TRUE(found.has_value()) << ToString(found.error());
  EXPECT_EQ(found->sources, root() / "checkout");
}

TEST_F(InstallationTest, PackageIsFoundWhereverItLies) {
  Write("opt/x/share/assay/challenges/adder/interface.h");
  Write("opt/x/lib/assay/reference/adder/suite");
  const auto found = FindInstallation(root() / "opt/x/bin/assay");
  ASSERT_TRUE(found.has_value()) << ToString(found.error());
  EXPECT_EQ(found->kind, InstallationKind::kPackage);
  EXPECT_EQ(found->Suite("adder"), root() / "opt/x/lib/assay/reference/adder/suite");
  EXPECT_EQ(found->ChallengeDirectory("adder"), root() / "opt/x/share/assay/challenges/adder");
  EXPECT_EQ(found->HarnessInclude(), root() / "opt/x/share/assay/harness");
}

// A checkout that the package's files happen to lie in does not count for the package.
TEST_F(InstallationTest, PackageInsideACheckoutIsThePackage) {
  Write("challenges/adder/challenge.yaml");
  Write("harness/CMakeLists.txt");
  Write("installed/share/assay/challenges/adder/interface.h");
  Write("installed/lib/assay/reference/adder/suite");
  const auto found = FindInstallation(root() / "installed/bin/assay");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->sources, root() / "installed/share/assay");
}

TEST_F(InstallationTest, ProgramOnItsOwnIsAnError) {
  const auto found = FindInstallation(root() / "bin/assay");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().kind, ErrorKind::kConfiguration);
  EXPECT_THAT(found.error().cause, HasSubstr("challenges/"));
}

TEST_F(InstallationTest, WidestBaselineThatTheProcessorRunsIsTaken) {
  Write("reference/adder/baseline_host");
  Installation installation{
      .sources = root(), .build = root(), .instruction_set = InstructionSet::kX86_64_v4};
  EXPECT_EQ(installation.BaselineHost("adder").filename(), "baseline_host");
  Write("reference/adder/baseline_v4_host");
  EXPECT_EQ(installation.BaselineHost("adder").filename(), "baseline_v4_host");
  installation.instruction_set = InstructionSet::kX86_64_v3;
  EXPECT_EQ(installation.BaselineHost("adder").filename(), "baseline_host");
}

TEST_F(InstallationTest, MissingPartSaysHowThisInstallationGetsIt) {
  Installation installation{.sources = root(), .build = root()};
  const auto of_build = CheckBuilt(installation, "adder");
  ASSERT_FALSE(of_build.has_value());
  EXPECT_THAT(of_build.error().remedy, HasSubstr("scripts/grade"));
  installation.kind = InstallationKind::kPackage;
  const auto of_package = CheckBuilt(installation, "adder");
  ASSERT_FALSE(of_package.has_value());
  EXPECT_THAT(of_package.error().remedy, HasSubstr("apt-get install --reinstall assay"));
}

}  // namespace
}  // namespace assay
