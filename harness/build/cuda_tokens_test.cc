// SPDX-License-Identifier: Apache-2.0
#include "build/cuda_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace assay {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

std::vector<std::string> Names(std::string_view source) {
  std::vector<std::string> names;
  for (const CudaToken& token : CudaTokens(source)) {
    if (token.kind == CudaToken::Kind::kName) {
      names.emplace_back(token.text);
    }
  }
  return names;
}

// What g++ sees between the two lines was a comment to us, and to cloc.
TEST(CudaTokensTest, AHeaderNameThatLooksLikeACommentHidesNothing) {
  for (const std::string line :
       {"#if !__has_include(</*>)\n", "#if 0\n#include </*>\n#endif\n", "#include_next </*>\n",
        "#define NOTHING\n#include NOTHING </*>\n", "%:include </*>\n", "#inc\\\nlude </*>\n",
        "#define HAS __has_include\n#if !HAS(NOTHING </*>)\n", "#elif __has_embed(</*>)\n",
        "#include <'> /*\n", "#include \"a\\\" \"/*\"\n", "#if __has_include(<\\> R\"(\n"}) {
    const std::string source = line + "int code;\n// */ \" )\"\n";
    EXPECT_THAT(Names(source), Contains("code")) << line;
    EXPECT_GE(LiteralBytes(source), std::string("int code;\n").size()) << line;
    EXPECT_THAT(CodeAlone(source), testing::HasSubstr("\nxxxxxxxxx\nxx")) << line;
  }
}

// Where g++ skips the header's name, the comment ends at `*/`, and what follows is no raw string.
TEST(CudaTokensTest, ASkippedHeaderNameHidesNothing) {
  EXPECT_THAT(Names("#if 0\n#include </*>\nR\"( */\n#endif\nint code;\n// )\"\n"),
              Contains("code"));
}

TEST(CudaTokensTest, UsualDirectivesHaveCommentsAndLiterals) {
  const std::string source =
      "#include <vector>  // a < b > c\n#include \"a//b.h\" /* c */\n"
      "#if (A < B)  // -> \"c\"\n#endif\n#error don't /* */\nint x;\n";
  EXPECT_THAT(Names(source), AllOf(Not(Contains("c")), Contains("x")));
  EXPECT_EQ(LiteralBytes(source), std::string("\"a//b.h\"'t /* */").size());
}

TEST(CudaTokensTest, OnlyFivePrefixesBeginRawStrings) {
  for (const std::string prefix : {"R", "u8R", "uR", "UR", "LR", "u8\\\nR", "R\\\n"}) {
    EXPECT_THAT(Names(prefix + "\"(\" a )\" b"), ElementsAre("b")) << prefix;
  }
  for (const std::string prefix :
       {"$R", "R$", "\\u00e9R", "\\U000000e9R", "1e+R", "0x1p-R", "1.e+R", "1'R", "FR", "u8LR"}) {
    EXPECT_THAT(Names(prefix + "\"(\" a b )\""), AllOf(Contains("a"), Contains("b"))) << prefix;
  }
}

// These depend on which letters may stand in a name, and on which macros there are.
TEST(CudaTokensTest, WhatMayBeginARawStringHidesNothing) {
  const std::string letter = "\xC3\xA9";
  for (const std::string& prefix : {letter + "R", letter, "1" + letter + "R", letter + "1.e+R",
                                    std::string("\"x\"R"), std::string("R\"()\"R")}) {
    EXPECT_THAT(Names(prefix + "\"(\" a b )\" /* c */"),
                AllOf(Contains("a"), Contains("b"), Contains("c")))
        << prefix;
  }
  EXPECT_THAT(Names("\xC3\xA9'R\"(' a )\""), Contains("a"));
  EXPECT_THAT(Names("R\"a b(\" a )a b\""), Contains("a"));
  EXPECT_THAT(Names("#define X R\"(\nint a;\n)\"\n"), Contains("a"));
}

TEST(CudaTokensTest, LettersOfAllKindsMakeOneName) {
  EXPECT_THAT(Names("\xEF\xBB\xBF\xC3\xA9t\xC3\xA9 a$b c\\u00e9d e1'f"),
              ElementsAre("\xC3\xA9t\xC3\xA9", "a$b", "c\\u00e9d", "e1"));
}

// `/`, an end of a line and `*` begin a comment: what looks like a raw string in it is none.
TEST(CudaTokensTest, LinesThatGoOnAreOne) {
  EXPECT_THAT(Names("/\\\n* R\"( */ int a; // )\""), ElementsAre("int", "a"));
  EXPECT_THAT(Names("/\\ \r\n/ R\"(\nint a; // )\""), ElementsAre("int", "a"));
  EXPECT_THAT(Names("\"\\\r\n\" a"), ElementsAre("a"));
}

TEST(CudaTokensTest, ADigraphBeginsADirective) {
  const std::vector<CudaToken> tokens = CudaTokens("/**/ %:define X\na %: b");
  ASSERT_EQ(tokens.size(), 8U);
  EXPECT_EQ(tokens[0].kind, CudaToken::Kind::kDirective);
  EXPECT_EQ(tokens[1].text, "define");
  EXPECT_EQ(tokens[3].kind, CudaToken::Kind::kDirectiveEnd);
  EXPECT_EQ(tokens[5].kind, CudaToken::Kind::kSign);
}

TEST(CodeAlone, HasNeitherCommentsNorLiterals) {
  EXPECT_EQ(CodeAlone("a /* b\nc */ d \"/*\" // e\n'\"' f // g \\\nh\nR\"(\n*/)\""),
            "a     \n     d xxxx     \nxxx f       \n \nRxx\nxxxx");
  // cloc takes a line that begins with `//` for a comment, whatever it ends.
  EXPECT_EQ(CodeAlone("/*\n//*/ a;\n"), "  \n     a;\n");
}

TEST(WithWholeTokens, MovesEndsOfLinesOutOfNamesAndSigns) {
  EXPECT_EQ(WithWholeTokens("i\\\nf (a &\\\n& b) <\\\n% c\\\r\n\\\nd %\\\n>"),
            "if\\\n (a &&\\\n b) <%\\\n cd\\\r\n\\\n %>\\\n");
  const std::string whole = "#define X \\\n  a;\\\n}\\\n  (b) & \\\n & c \"d\\\ne\" // f\\\ng\n";
  EXPECT_EQ(WithWholeTokens(whole), whole);
  EXPECT_EQ(WithWholeTokens("&\\\n&\\\n&"), "&&\\\n\\\n&");
}

TEST(LineMarkers, AreDirectivesThatBeginWithANumber) {
  EXPECT_THAT(LineMarkers("# 1 \"a\"\n/**/ #/**/2\n%: 3\n#\\\n4\na # 5\n#line 6\nR\"(\n# 7\n)\""),
              ElementsAre(0, 13, 20, 25));
}

TEST(CudaTokensTest, HostileTextTakesTimeLinearInItsLength) {
  const auto start = std::chrono::steady_clock::now();
  for (const std::string part : {"<", "\"", "\"\"", "a.", "\xC3\xA9.", "1'", "R\"(", "\\\n", "\\ ",
                                 "#include <", "# 1\n", "e+", "/*", "\"x\"R", "("}) {
    for (const std::string begin : {"", "#include ", "#if ("}) {
      std::string text = begin;
      while (text.size() < std::size_t{1} << 16) {
        text += part;
      }
      EXPECT_EQ(WithWholeTokens(text + "/* >").size(), text.size() + 4);
      EXPECT_EQ(CodeAlone(text).size(), text.size());
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

}  // namespace
}  // namespace assay
