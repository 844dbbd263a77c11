// SPDX-License-Identifier: Apache-2.0
#include "cli/interface_functions.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

constexpr const char* kHeader = R"(#ifndef A_H_
#define A_H_
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
/* int add(int wrong); is what it is not, nor LN_UNSUPPORTED. */
enum status { OK = 0, IS_UNSUPPORTED_HERE = 1, ADD_UNSUPPORTED = 2 /* honest */ };
#define CALL_ADD \
  add(1)
typedef int (*adder)(int (*add)(int), int b);

// add(x) of two numbers.
int add(size_t count, const float* a, /* also */ const float* b,
        adder callback);
int add_all(void);
const char* name_of(int add);
void reset(int add);
struct pair { int a; } make_pair(int a);
struct pair swap(struct pair p);
double mean(const double* x, size_t count);
size_t bytes(size_t count);
#ifdef __cplusplus
}
#endif
#endif
)";

TEST(InterfaceFunctions, DeclarationKeepsItsLines) {
  const auto add = FindDeclaration(kHeader, "add");
  ASSERT_TRUE(add.has_value());
  EXPECT_EQ(add->return_type, "int");
  EXPECT_EQ(add->text,
            "int add(size_t count, const float* a,            const float* b,\n"
            "        adder callback)");
  EXPECT_TRUE(add->takes_arguments);
}

TEST(InterfaceFunctions, NameIsAWordOfItsOwn) {
  EXPECT_EQ(FindDeclaration(kHeader, "add_all")->text, "int add_all(void)");
  EXPECT_FALSE(FindDeclaration(kHeader, "add_all")->takes_arguments);
  EXPECT_EQ(FindDeclaration(kHeader, "all"), std::nullopt);
}

TEST(InterfaceFunctions, WhatIsNoDeclarationIsNotFound) {
  EXPECT_EQ(FindDeclaration(kHeader, "adder"), std::nullopt);
  EXPECT_EQ(FindDeclaration(kHeader, "callback"), std::nullopt);
  EXPECT_EQ(FindDeclaration(kHeader, "CALL_ADD"), std::nullopt);
  EXPECT_EQ(FindDeclaration("int add(int", "add"), std::nullopt);
  EXPECT_EQ(FindDeclaration("/* int add(int a);", "add"), std::nullopt);
  EXPECT_EQ(FindDeclaration("", "add"), std::nullopt);
}

TEST(InterfaceFunctions, UnsupportedStatusIsAWholeName) {
  EXPECT_EQ(UnsupportedStatus(kHeader), "ADD_UNSUPPORTED");
  EXPECT_EQ(UnsupportedStatus("// X_UNSUPPORTED"), std::nullopt);
}

TEST(InterfaceFunctions, StubRefusesByTheTypeItReturns) {
  const auto statement = [](const char* name) {
    return StubStatement(FindDeclaration(kHeader, name).value(), UnsupportedStatus(kHeader));
  };
  EXPECT_EQ(statement("add"), "return ADD_UNSUPPORTED;");
  EXPECT_EQ(statement("add_all"), "return 0;");
  EXPECT_EQ(statement("name_of"), "return nullptr;");
  EXPECT_EQ(statement("reset"), "");
  EXPECT_EQ(statement("swap"), "return {};");
  EXPECT_EQ(statement("mean"), "return 0;");
  EXPECT_EQ(statement("bytes"), "return 0;");
  EXPECT_EQ(StubStatement(FindDeclaration(kHeader, "add").value(), std::nullopt), "return 0;");
}

TEST(InterfaceFunctions, ProgramIsWhatDefinesMain) {
  EXPECT_TRUE(DefinesMain("#include <x.h>\nint main() {}"));
  EXPECT_TRUE(DefinesMain("char quote = '\"'; auto main (int argc, char** argv) -> int {}"));
  EXPECT_TRUE(DefinesMain("const int million = 1'000'000;\nint main() {}"));
  EXPECT_FALSE(DefinesMain("// int main() {}\n/* int main() */ const char* a = \"int main()\";"));
  EXPECT_FALSE(DefinesMain("int domain(); int main_loop(); int x = main(3);"));
  EXPECT_FALSE(DefinesMain(""));
}

}  // namespace
}  // namespace assay
