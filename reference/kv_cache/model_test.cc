// SPDX-License-Identifier: Apache-2.0
#include "model.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "interface.h"

namespace assay::kvcache {
namespace {

constexpr Config kPaged{.layers = 2,
                        .query_heads = 2,
                        .kv_heads = 2,
                        .head_size = 3,
                        .batch = 3,
                        .capacity = 20,
                        .page_size = 4,
                        .pages = 6};

/// Appends tokens whose elements are all `value`.
int Append(CacheModel& model, std::int32_t layer, std::vector<std::int32_t> sequences,
           float value = 1) {
  const std::vector<float> tokens(sequences.size() * model.config().KeyElements(), value);
  return model.Append(layer, sequences, tokens, tokens);
}

int AppendMany(CacheModel& model, std::int32_t layer, std::int32_t sequence, std::size_t count) {
  return Append(model, layer, std::vector<std::int32_t>(count, sequence));
}

TEST(CacheModel, TokensOfAListGoToTheirSequencesInOrder) {
  CacheModel model(kPaged);
  const std::vector<float> k{1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3};
  EXPECT_EQ(model.Append(1, std::array{2, 0, 2}, k, k), KV_OK);
  EXPECT_EQ(model.Length(1, 2), 2U);
  EXPECT_EQ(model.Length(1, 0), 1U);
  EXPECT_EQ(model.Length(0, 2), 0U);
  EXPECT_EQ(model.At(1, 2).k[0], 1);
  EXPECT_EQ(model.At(1, 2).k[6], 3);
}

TEST(CacheModel, CapacityCountsAllTokensOfTheCall) {
  CacheModel model({.head_size = 2, .batch = 2, .capacity = 3});
  EXPECT_EQ(Append(model, 0, {0, 0}), KV_OK);
  EXPECT_EQ(Append(model, 0, {1, 0, 0}), KV_CAPACITY);
  EXPECT_EQ(model.Length(0, 1), 0U);
  EXPECT_EQ(Append(model, 0, {1, 0}), KV_OK);
}

TEST(CacheModel, AWindowHasNoEnd) {
  CacheModel model({.head_size = 2, .capacity = 3, .window = 2});
  EXPECT_EQ(AppendMany(model, 0, 0, 10), KV_OK);
  EXPECT_EQ(model.Length(0, 0), 10U);
  EXPECT_EQ(model.FirstVisible(0, 0), 8U);
}

TEST(CacheModel, APageHoldsTokensOfAllLayers) {
  CacheModel model(kPaged);
  AppendMany(model, 0, 0, 5);
  EXPECT_EQ(model.PagesInUse(), 2U);
  AppendMany(model, 1, 0, 8);
  EXPECT_EQ(model.PagesInUse(), 2U);
  AppendMany(model, 1, 0, 1);
  EXPECT_EQ(model.PagesInUse(), 3U);
  // Three pages of four slots in two layers, each token 2 heads * 2 * 4 * 3 bytes.
  EXPECT_EQ(model.UsedBytes(), 3U * 4 * 2 * 48);
}

TEST(CacheModel, AnEmptyPoolChangesNothing) {
  CacheModel model(kPaged);
  EXPECT_EQ(AppendMany(model, 0, 0, 20), KV_OK);
  EXPECT_EQ(model.PagesFree(), 1U);
  EXPECT_EQ(Append(model, 0, {1, 2}), KV_NO_PAGES);
  EXPECT_EQ(model.Length(0, 1), 0U);
  EXPECT_EQ(model.PagesFree(), 1U);
  EXPECT_EQ(model.Free(0), KV_OK);
  EXPECT_EQ(model.PagesFree(), 6U);
}

TEST(CacheModel, AForkTakesAPageWhenItWrites) {
  CacheModel model(kPaged);
  AppendMany(model, 0, 0, 6);
  EXPECT_EQ(model.Fork(0, 1), KV_OK);
  EXPECT_EQ(model.PagesInUse(), 2U);
  AppendMany(model, 0, 1, 1);
  EXPECT_EQ(model.PagesInUse(), 3U);
  AppendMany(model, 0, 0, 1);  // Nobody shares its last page any more.
  EXPECT_EQ(model.PagesInUse(), 3U);
  EXPECT_EQ(model.Free(0), KV_OK);
  EXPECT_EQ(model.PagesInUse(), 2U);
  EXPECT_EQ(model.Length(0, 1), 7U);
}

TEST(CacheModel, AnotherLayerWritesIntoASharedPageToo) {
  CacheModel model(kPaged);
  AppendMany(model, 0, 0, 8);
  model.Fork(0, 1);
  AppendMany(model, 1, 1, 1);
  EXPECT_EQ(model.PagesInUse(), 3U);
}

TEST(CacheModel, ForkRefusesWhatIsNotEmptyAndItself) {
  CacheModel model(kPaged);
  AppendMany(model, 0, 0, 1);
  AppendMany(model, 1, 1, 1);
  EXPECT_EQ(model.Fork(0, 1), KV_INVALID_ARGUMENT);
  EXPECT_EQ(model.Fork(0, 0), KV_INVALID_ARGUMENT);
  EXPECT_EQ(model.Fork(0, 3), KV_INVALID_ARGUMENT);
  EXPECT_EQ(model.Fork(-1, 2), KV_INVALID_ARGUMENT);
}

TEST(CacheModel, WhatIsOutOfRangeIsRefused) {
  CacheModel model(kPaged);
  EXPECT_EQ(Append(model, 2, {0}), KV_INVALID_ARGUMENT);
  EXPECT_EQ(Append(model, 0, {0, 3}), KV_INVALID_ARGUMENT);
  EXPECT_EQ(model.Free(3), KV_INVALID_ARGUMENT);
  EXPECT_EQ(model.Length(0, 0), 0U);
}

// Both share a half-filled page and both write: the first takes a page, and leaves the other alone
// with the old one. Counted beforehand that is two.
TEST(CacheModel, KnowsWhereTheContractLeavesTheStatusOpen) {
  Config config = kPaged;
  config.pages = 3;
  CacheModel model(config);
  AppendMany(model, 0, 0, 6);
  model.Fork(0, 1);
  EXPECT_TRUE(model.IsCloseToTheLastPage(0, std::array{0, 1}));
  EXPECT_FALSE(model.IsCloseToTheLastPage(0, std::array{0}));
  EXPECT_EQ(Append(model, 0, {0, 1}), KV_OK);
}

TEST(CacheModel, KnowsAValidConfiguration) {
  EXPECT_TRUE(CacheModel::IsValid(kPaged));
  const auto with = [](auto change) {
    Config config = kPaged;
    change(config);
    return CacheModel::IsValid(config);
  };
  EXPECT_FALSE(with([](Config& c) { c.query_heads = 3; }));
  EXPECT_FALSE(with([](Config& c) { c.head_size = 257; }));
  EXPECT_FALSE(with([](Config& c) { c.pages = 0; }));
  EXPECT_FALSE(with([](Config& c) { c.page_size = 0; }));
  EXPECT_FALSE(with([](Config& c) { c.window = 21; }));
  EXPECT_FALSE(with([](Config& c) { c.batch = 0; }));
}

}  // namespace
}  // namespace assay::kvcache
