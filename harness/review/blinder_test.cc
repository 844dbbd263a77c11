// SPDX-License-Identifier: Apache-2.0
#include "review/blinder.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace assay {
namespace {

ModelSpec MakeModel(std::string id, std::string name) {
  return {.directory = {}, .id = std::move(id), .name = std::move(name), .source = {}};
}

const Blinder& Three() {
  static const Blinder blinder({MakeModel("glm-5", "GLM-5"),
                                MakeModel("qwen3.6-27b", "Qwen3.6-27B"),
                                MakeModel("minimax-m2.7", "MiniMax-M2.7")});
  return blinder;
}

TEST(BlinderTest, TakesOutEverySpellingOfANameAndAnId) {
  for (const char* const spelling :
       {"GLM-5", "glm-5", "glm5", "GLM 5", "Glm_5", "glm.5", "G\u200BLM-5", "GLM \u2060- 5",
        "Qwen3.6-27B", "qwen 3.6 27b", "QWEN3_6_27B", "qwen3627b", "MiniMax-M2.7", "mini-max m2.7",
        "MINIMAX_M27"}) {
    EXPECT_EQ(Three().Blind(spelling), "NAME") << spelling;
  }
}

TEST(BlinderTest, TakesNamesOutOfCommentsStringsPathsAndIdentifiers) {
  EXPECT_EQ(Three().Blind("// As GLM-5, I am proud.\n"), "// As NAME, I am proud.\n");
  EXPECT_EQ(Three().Blind("puts(\"qwen3.6-27b\");"), "puts(\"NAME\");");
  EXPECT_EQ(Three().Blind("src/glm5_kernel.cu"), "src/NAME_kernel.cu");
  EXPECT_EQ(Three().Blind("void fastMinimaxM27Path()"), "void fastNAMEPath()");
  EXPECT_EQ(Three().Blind("Written by Qwen, better than GLM4."),
            "Written by NAME, better than NAME4.");
  EXPECT_EQ(Three().Blind("struct GlmKernel"), "struct NAMEKernel");
}

TEST(BlinderTest, LeavesTheRestAlone) {
  const std::string code = "float algmin = 5;\nint m27 = 2.7;\n  return glmark(27);\n";
  EXPECT_EQ(Three().Blind(code), code);
  // A name does not reach over lines: their numbers stay.
  EXPECT_EQ(Three().Blind("mini\nmax m2.7"), "mini\nmax m2.7");
}

TEST(BlinderTest, ShortNamesAreWordsOfTheirOwn) {
  const Blinder blinder({MakeModel("o3", "o3"), MakeModel("new-model", "The new model")});
  EXPECT_EQ(blinder.Blind("o3 foo3 o31"), "NAME foo3 o31");
  EXPECT_EQ(blinder.Blind("new int[3]; // the end"), "new int[3]; // the end");
  EXPECT_EQ(blinder.Blind("NewModel, the new model"), "NAME, NAME");
}

}  // namespace
}  // namespace assay
