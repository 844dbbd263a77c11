// SPDX-License-Identifier: Apache-2.0
#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/commands.h"
#include "exec/repository_lock.h"
#include "spec/repository.h"
#include "spec/temporary_repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// An entry of an archive, hostile ones too.
struct Entry {
  std::string name;
  std::string content = {};
  unsigned type = AE_IFREG;
  std::string target = {};  // Of a link.
  enum class Link { kNone, kSymbolic, kHard } link = Link::kNone;
};

enum class ArchiveKind { kTar, kTarGz, kZip };

void WriteArchive(const fs::path& path, ArchiveKind kind, const std::vector<Entry>& entries) {
  archive* const out = archive_write_new();
  if (kind == ArchiveKind::kZip) {
    archive_write_set_format_zip(out);
  } else {
    archive_write_set_format_pax_restricted(out);
  }
  if (kind == ArchiveKind::kTarGz) {
    archive_write_add_filter_gzip(out);
  }
  ASSERT_EQ(archive_write_open_filename(out, path.c_str()), ARCHIVE_OK);
  for (const Entry& entry : entries) {
    archive_entry* const header = archive_entry_new();
    archive_entry_set_pathname(header, entry.name.c_str());
    archive_entry_set_filetype(header, entry.type);
    archive_entry_set_perm(header, 0644);
    archive_entry_set_size(header, static_cast<la_int64_t>(entry.content.size()));
    if (entry.link == Entry::Link::kSymbolic) {
      archive_entry_set_symlink(header, entry.target.c_str());
    } else if (entry.link == Entry::Link::kHard) {
      archive_entry_set_hardlink(header, entry.target.c_str());
    }
    ASSERT_EQ(archive_write_header(out, header), ARCHIVE_OK) << archive_error_string(out);
    archive_write_data(out, entry.content.data(), entry.content.size());
    archive_entry_free(header);
  }
  ASSERT_EQ(archive_write_close(out), ARCHIVE_OK);
  archive_write_free(out);
}

constexpr const char* kMain = "#include \"interface.h\"\nint main() { return 0; }\n";

class CollectTest : public ::testing::Test {
 protected:
  CollectTest() { files_.Write("challenges/adder/interface.h", "int add_f32(int a, int b);\n"); }

  int Collect(const fs::path& answer, const std::string& cell = "me/adder",
              OutputFormat format = OutputFormat::kText) {
    out_.str("");
    err_.str("");
    const int exit_code = RunCollect(
        {.common = {.root = files_.root(), .format = format}, .answer = answer, .cell = cell},
        console_);
    const fs::path temporary = TemporaryRoot(files_.root());
    EXPECT_TRUE(!fs::exists(temporary) || fs::is_empty(temporary));
    return exit_code;
  }
  int CollectText(const std::string& markdown) {
    files_.Write("answers/a.md", markdown);
    return Collect(At("answers/a.md"));
  }
  // Collects an archive of one good source and `entries`.
  int CollectArchive(ArchiveKind kind, std::vector<Entry> entries) {
    entries.push_back({.name = "add.cc", .content = "int a;\n"});
    fs::create_directories(At("answers"));
    const fs::path path = At(kind == ArchiveKind::kZip     ? "answers/a.zip"
                             : kind == ArchiveKind::kTarGz ? "answers/a.tar.gz"
                                                           : "answers/a.tar");
    WriteArchive(path, kind, entries);
    return Collect(path);
  }
  [[nodiscard]] fs::path At(const fs::path& path) const { return files_.root() / path; }
  [[nodiscard]] std::string Made(const fs::path& path) const {
    return ReadFile(At("submissions/me/adder") / path).value_or("(missing)");
  }
  [[nodiscard]] bool IsNothingMade() const { return !fs::exists(At("submissions/me")); }

  TemporaryRepository files_;
  std::ostringstream out_;
  std::ostringstream err_;
  Console console_{.out = out_, .err = err_};
};

TEST_F(CollectTest, FolderBecomesASubmissionThatCheckTakes) {
  files_.Write("answer/add.cc", "int a;\n");
  files_.Write("answer/add.h", "int a;\n");
  files_.Write("answer/tests/t.cc", kMain);
  files_.Write("answer/bench.cc", kMain);
  files_.Write("answer/README.md", "Why\n");
  files_.Write("answer/interface.h", "int add_f32(int a, int b);\n");
  EXPECT_EQ(Collect(At("answer")), 0) << err_.str();
  EXPECT_EQ(Made("add.cc"), "int a;\n");
  EXPECT_EQ(Made("interface.h"), "(missing)");
  EXPECT_THAT(Made("submission.yaml"),
              AllOf(HasSubstr("\nsources: [add.cc]\n"), HasSubstr("\ntests: [tests/t.cc]\n"),
                    HasSubstr("{source: bench.cc, configurations: 1}"),
                    HasSubstr("# For readers: README.md.")));
  EXPECT_THAT(CheckRepository(files_.root()), IsEmpty());
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("made submissions/me/adder/add.cc\n"),
                                HasSubstr("assay grade me/adder --root ")));
}

TEST_F(CollectTest, SubmissionYamlOfTheAnswerIsKeptAndChecked) {
  files_.Write("answer/add.cc", "int a;\n");
  files_.Write("answer/submission.yaml", "schema: 1\nsources: [add.cc]\n");
  EXPECT_EQ(Collect(At("answer")), 0) << err_.str();
  EXPECT_EQ(Made("submission.yaml"), "schema: 1\nsources: [add.cc]\n");
  files_.Write("answer/submission.yaml", "schema: 1\nsources: [none.cc]\n");
  EXPECT_EQ(Collect(At("answer"), "you/adder"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("answer/submission.yaml:2: sources[0] \"none.cc\" does not"));
  EXPECT_FALSE(fs::exists(At("submissions/you")));
}

TEST_F(CollectTest, SaysAsJsonWhatTheAnswersOwnSubmissionYamlNames) {
  files_.Write("answer/add.cc", "int a;\n");
  files_.Write("answer/draft.cc", "int b;\n");
  files_.Write("answer/speed.cc", kMain);
  files_.Write("answer/submission.yaml",
               "schema: 1\nsources: [add.cc]\n"
               "benchmarks:\n  - {source: speed.cc, configurations: 1}\n");
  EXPECT_EQ(Collect(At("answer"), "me/adder", OutputFormat::kJson), 0) << out_.str();
  const auto json = nlohmann::json::parse(out_.str());
  EXPECT_EQ(json["sources"], std::vector<std::string>{"add.cc"});
  EXPECT_TRUE(json["tests"].empty());
  EXPECT_EQ(json["benchmarks"], std::vector<std::string>{"speed.cc"});
}

TEST_F(CollectTest, FolderWithWhatIsRefusedIsNamedOnceAndWhole) {
  files_.Write("answer/add.cc", "int a;\n");
  files_.Write("answer/Makefile", "all:\n");
  files_.Write("answer/.git/config", "x");
  files_.Write("answer/a.out", std::string("\x7f"
                                           "ELF\0",
                                           5));
  fs::create_symlink("/etc/passwd", At("answer/link.cc"));
  ASSERT_EQ(::mkfifo(At("answer/pipe.cc").c_str(), 0600), 0);
  EXPECT_EQ(Collect(At("answer")), 2);
  EXPECT_THAT(err_.str(),
              AllOf(HasSubstr("\"Makefile\" (a build script)"), HasSubstr("\".git\" (hidden)"),
                    HasSubstr("\"a.out\" (a binary)"), HasSubstr("\"link.cc\" (a link)"),
                    HasSubstr("\"pipe.cc\" (no regular file)"), Not(HasSubstr(".git/config"))));
  EXPECT_TRUE(IsNothingMade());
}

TEST_F(CollectTest, ArchivesOfEachKindAreTakenWithoutTheirFolder) {
  for (const auto& [kind, name] :
       {std::pair(ArchiveKind::kTar, "a.tar"), std::pair(ArchiveKind::kTarGz, "a.tgz"),
        std::pair(ArchiveKind::kZip, "a.zip")}) {
    WriteArchive(At(name), kind,
                 {{.name = "answer", .type = AE_IFDIR},
                  {.name = "answer/add.cc", .content = "int a;\n"},
                  {.name = "answer/tests/t.cc", .content = kMain}});
    EXPECT_EQ(Collect(At(name)), 0) << name << err_.str();
    EXPECT_EQ(Made("add.cc"), "int a;\n") << name;
    EXPECT_EQ(Made("tests/t.cc"), kMain) << name;
    fs::remove_all(At("submissions/me"));
  }
}

TEST_F(CollectTest, HostileEntriesOfArchivesAreRefused) {
  for (const ArchiveKind kind : {ArchiveKind::kTar, ArchiveKind::kTarGz, ArchiveKind::kZip}) {
    EXPECT_EQ(CollectArchive(kind, {{.name = "../../out.cc", .content = "x"},
                                    {.name = "/tmp/abs.cc", .content = "x"},
                                    {.name = ".bashrc", .content = "x"},
                                    {.name = "link.cc",
                                     .type = AE_IFLNK,
                                     .target = "/etc/passwd",
                                     .link = Entry::Link::kSymbolic}}),
              2);
    EXPECT_THAT(err_.str(),
                AllOf(HasSubstr("\"../../out.cc\" (leads out of the answer)"),
                      HasSubstr("\"/tmp/abs.cc\" (leads out of the answer)"),
                      HasSubstr("\".bashrc\" (hidden)"), HasSubstr("\"link.cc\" (a link)")));
    EXPECT_TRUE(IsNothingMade());
  }
}

TEST_F(CollectTest, DevicesAndHardLinksOfArchivesAreRefused) {
  EXPECT_EQ(
      CollectArchive(ArchiveKind::kTar,
                     {{.name = "pipe", .type = AE_IFIFO},
                      {.name = "disk", .type = AE_IFBLK},
                      {.name = "hard.cc", .target = "/etc/passwd", .link = Entry::Link::kHard}}),
      2);
  EXPECT_THAT(err_.str(),
              AllOf(HasSubstr("\"pipe\" (no regular file)"),
                    HasSubstr("\"disk\" (no regular file)"), HasSubstr("\"hard.cc\" (a link)")));
}

TEST_F(CollectTest, BombsAreNotUnpacked) {
  EXPECT_EQ(CollectArchive(ArchiveKind::kTarGz,
                           {{.name = "zeros.txt", .content = std::string(100 << 20, ' ')}}),
            2);
  EXPECT_THAT(err_.str(), HasSubstr("\"zeros.txt\" (more than 1048576 bytes)"));
  constexpr int kMany = 40;
  std::vector<Entry> many;
  many.reserve(kMany);
  for (int i = 0; i < kMany; ++i) {
    many.push_back({.name = "f" + std::to_string(i), .content = std::string(1 << 20, ' ')});
  }
  EXPECT_EQ(CollectArchive(ArchiveKind::kZip, many), 2);
  EXPECT_THAT(err_.str(), HasSubstr("holds more than 16777216 bytes"));
  many.assign(10'001, {.name = "folder", .type = AE_IFDIR});
  EXPECT_EQ(CollectArchive(ArchiveKind::kTarGz, many), 2);
  EXPECT_THAT(err_.str(), HasSubstr("holds more than 10000 folders"));
  EXPECT_TRUE(IsNothingMade());
}

TEST_F(CollectTest, DamagedArchiveIsAnErrorAtEveryLength) {
  WriteArchive(At("whole.zip"), ArchiveKind::kZip,
               {{.name = "add.cc", .content = std::string(500, 'a')}});
  const std::string whole = ReadFile(At("whole.zip")).value();
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    files_.Write("cut.zip", whole.substr(0, size));
    const int exit_code = Collect(At("cut.zip"));
    EXPECT_EQ(exit_code == 0, Made("add.cc").size() == 500) << size << err_.str();
    fs::remove_all(At("submissions/me"));
  }
}

TEST_F(CollectTest, MarkdownGivesItsNamedBlocksAndItself) {
  EXPECT_EQ(CollectText("# Answer\n\n```cpp add.cc\nint a;\n```\n\nRun:\n\n```sh\nmake\n```\n\n"
                        "### `tests/t.cc`\n\n```cpp\n" +
                        std::string(kMain) + "```\n"),
            0)
      << err_.str();
  EXPECT_EQ(Made("add.cc"), "int a;\n");
  EXPECT_EQ(Made("tests/t.cc"), kMain);
  EXPECT_THAT(Made("ANSWER.md"), HasSubstr("# Answer"));
  EXPECT_THAT(out_.str(), HasSubstr("left out 1 code block without a file name, of line 9\n"));
  EXPECT_THAT(CheckRepository(files_.root()), IsEmpty());
}

TEST_F(CollectTest, MarkdownIsRefusedWhole) {
  EXPECT_EQ(CollectText("```cpp add.cc\nint a;\n```\n```make Makefile\nall:\n```\n"
                        "```cpp ../x.cc\n```\n"),
            2);
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("\"Makefile\" (a build script)"),
                                HasSubstr("\"../x.cc\" (leads out of the answer)")));
  EXPECT_EQ(CollectText("```cpp add.cc\nint a;\n```\n```cpp add.cc\nint b;\n```\n"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("\"add.cc\" (there twice)"));
  EXPECT_EQ(CollectText("```cpp add.cc\nint a;\n"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("a.md:1: the code block that begins here does not end"));
  EXPECT_EQ(CollectText("```cpp\nint a;\n```\n"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("has no code block that says which file it is"));
  EXPECT_EQ(CollectText("```cpp t.cc\nint main() {}\n```\n"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("holds no source"));
  EXPECT_TRUE(IsNothingMade());
}

TEST_F(CollectTest, OtherInterfaceIsRefused) {
  EXPECT_EQ(CollectText("```cpp add.cc\nint a;\n```\n```cpp interface.h\nint b;\n```\n"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("\"interface.h\", which is not the interface.h of adder"));
}

TEST_F(CollectTest, PlaceIsCheckedBeforeTheAnswer) {
  EXPECT_EQ(Collect(At("none"), "right/adder"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("submissions/right/adder: is there already"));
  EXPECT_EQ(Collect(At("none"), "me"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("--as \"me\" names no challenge"));
  EXPECT_EQ(Collect(At("none"), "me/addr"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("did you mean \"adder\"?"));
  EXPECT_EQ(Collect(At("none"), "../adder"), 2);
  EXPECT_EQ(Collect(At("none")), 2);
  EXPECT_THAT(err_.str(), HasSubstr("none: does not exist"));
  files_.Write("a.rar", "Rar!");
  EXPECT_EQ(Collect(At("a.rar")), 2);
  EXPECT_THAT(err_.str(), HasSubstr("is neither a folder, an archive nor markdown"));
}

TEST_F(CollectTest, SaysAsJsonWhatItMade) {
  files_.Write("answer/add.cc", "int a;\n");
  EXPECT_EQ(Collect(At("answer"), "me/adder", OutputFormat::kJson), 0) << err_.str();
  const auto json = nlohmann::json::parse(out_.str());
  EXPECT_EQ(json["sources"], std::vector<std::string>{"add.cc"});
  EXPECT_THAT(json["made"].dump(), HasSubstr("submissions/me/model.yaml"));
}

}  // namespace
}  // namespace assay
