// SPDX-License-Identifier: Apache-2.0
#include "client/exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Optional;

/// One call with an input, an output and saved tensors, without a host: the test plays it.
class ExchangeTest : public testing::Test {
 protected:
  ExchangeTest() {
    call_.Input(in_).Output(out_).Save(&saved_, {.tensors = 2, .bytes = 256});
    plan_ = PlanCall(call_, &layout_);
    CopyIn(call_, plan_, poison_, Memory());
  }
  ArenaMemory Memory() { return {inputs_.data(), outputs_.data()}; }
  std::byte* OutputSlot() { return outputs_.data() + plan_.arguments[1].offset_bytes; }
  std::byte* SaveArea() { return outputs_.data() + plan_.save_area.offset_bytes; }

  std::vector<float> in_ = {1, 2, 3};
  std::vector<float> out_ = std::vector<float>(5);
  SavedTensors saved_;
  Invocation call_{"f"};
  Layout layout_{Layout::Faults::kWhenTouched};
  CallPlan plan_;
  Poison poison_{1};
  std::vector<std::byte> inputs_ = std::vector<std::byte>(std::size_t{1} << 20);
  std::vector<std::byte> outputs_ = std::vector<std::byte>(std::size_t{1} << 20);
};

TEST_F(ExchangeTest, InputsAreCopiedIn) {
  std::vector<float> there(in_.size());
  std::memcpy(there.data(), inputs_.data() + plan_.arguments[0].offset_bytes, 12);
  EXPECT_EQ(there, in_);
}

TEST_F(ExchangeTest, OutputsAreCopiedOut) {
  const std::vector<float> result = {5, 4, 3, 2, 1};
  std::memcpy(OutputSlot(), result.data(), 20);
  CopyOutputs(call_, plan_, Memory());
  EXPECT_EQ(out_, result);
}

TEST_F(ExchangeTest, NothingStrayWhereOnlyTheOutputWasWritten) {
  std::memset(OutputSlot(), 0, 20);
  EXPECT_EQ(FindStrayWrite(call_, plan_, {}, poison_, Memory()), std::nullopt);
}

TEST_F(ExchangeTest, ByteBeforeTheOutputIsFound) {
  OutputSlot()[-4] ^= std::byte{1};
  EXPECT_THAT(FindStrayWrite(call_, plan_, {}, poison_, Memory()),
              Optional(HasSubstr("wrote 4 bytes before the start of argument 2")));
}

TEST_F(ExchangeTest, SavedTensorsAreCopiedInOrder) {
  std::memset(SaveArea(), 7, 8);
  std::memset(SaveArea() + 128, 9, 4);
  const auto tensors = CopySaved({{"b", 128, 4}, {"a", 0, 8}}, plan_, Memory());
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0].name, "b");
  EXPECT_EQ(tensors[0].data, std::vector<std::byte>(4, std::byte{9}));
  EXPECT_EQ(tensors[1].data, std::vector<std::byte>(8, std::byte{7}));
}

TEST_F(ExchangeTest, BytesOfSavedTensorsAreTheirs) {
  std::memset(SaveArea(), 0, 8);
  std::memset(SaveArea() + 128, 0, 4);
  EXPECT_EQ(FindStrayWrite(call_, plan_, {{"a", 0, 8}, {"b", 128, 4}}, poison_, Memory()),
            std::nullopt);
}

TEST_F(ExchangeTest, ByteBehindEachSavedTensorIsFound) {
  for (const int at : {8, 127, 132}) {
    CopyIn(call_, plan_, poison_, Memory());
    SaveArea()[at] ^= std::byte{1};
    EXPECT_THAT(FindStrayWrite(call_, plan_, {{"a", 0, 8}, {"b", 128, 4}}, poison_, Memory()),
                Optional(HasSubstr(at < 128 ? "saved tensor a" : "saved tensor b")));
  }
}

TEST_F(ExchangeTest, SavedTensorWithoutBytesMayLieInsideAnother) {
  std::memset(SaveArea(), 0, 64);
  EXPECT_EQ(FindStrayWrite(call_, plan_, {{"a", 0, 64}, {"b", 8, 0}}, poison_, Memory()),
            std::nullopt);
}

TEST_F(ExchangeTest, SavedWithoutAWordIsStray) {
  SaveArea()[0] ^= std::byte{1};
  EXPECT_TRUE(FindStrayWrite(call_, plan_, {}, poison_, Memory()).has_value());
}

TEST(Poison, DependsOnTheSeedAndTheOffsetAlone) {
  std::vector<std::byte> a(3 * wire::kPageBytes);
  std::vector<std::byte> b(3 * wire::kPageBytes);
  Poison(1).Fill(a.data(), 0, a.size());
  Poison(1).Fill(b.data(), 10, 5'000);
  EXPECT_EQ(std::memcmp(a.data() + 10, b.data() + 10, 5'000), 0);
  EXPECT_EQ(b[9], std::byte{0});
  EXPECT_EQ(b[5'010], std::byte{0});
  EXPECT_EQ(Poison(1).FirstChange(a.data(), 0, a.size()), std::nullopt);
  EXPECT_TRUE(Poison(2).FirstChange(a.data(), 0, a.size()).has_value());
}

TEST(Poison, FirstChangeIsExact) {
  std::vector<std::byte> a(3 * wire::kPageBytes);
  const Poison poison(1);
  poison.Fill(a.data(), 0, a.size());
  a[9'000] ^= std::byte{1};
  a[9'001] ^= std::byte{1};
  EXPECT_EQ(poison.FirstChange(a.data(), 100, 9'500), 9'000u);
  EXPECT_EQ(poison.FirstChange(a.data(), 100, 8'900), std::nullopt);
}

}  // namespace
}  // namespace assay
