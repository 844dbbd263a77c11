// SPDX-License-Identifier: Apache-2.0
#include "suite_script.h"

#include <algorithm>
#include <array>

#include "interface.h"

namespace assay::kvcache {
namespace {

struct Place {
  std::int32_t page_size;
  std::int32_t window;
};

constexpr std::array<std::array<std::int32_t, 2>, 4> kHeads = {{{2, 2}, {8, 2}, {5, 1}, {9, 3}}};
constexpr std::array kHeadCapabilities = {0, +KV_CAN_GQA, +KV_CAN_MQA, +KV_CAN_GQA};
constexpr std::array kStorages = {Storage::kF32, Storage::kF16, Storage::kInt8, Storage::kInt4};
constexpr std::array kStorageCapabilities = {0, +KV_CAN_F16, +KV_CAN_INT8, +KV_CAN_INT4};
constexpr std::array<Place, 6> kPlaces = {{{0, 0}, {1, 0}, {5, 0}, {16, 0}, {0, 7}, {0, 65}}};
constexpr std::array kHeadSizes = {1, 16, 33, 64, 100, 256};
/// Around a vector of 16, around the tiles of 64 and 512 that fast code works in, and primes.
constexpr std::array kTokenCounts = {1, 15, 16, 17, 64, 67, 129, 513};
enum class Entry : std::uint8_t { kAppend, kOneByOne, kPrompt, kChunks };
enum class Company : std::uint8_t { kAlone, kOthers, kRepeated };
constexpr std::array<Distribution, 3> kScales = {
    {{}, {.key_scale = 12, .value_scale = 30}, {.query_scale = 3, .value_scale = 1e-4}}};

constexpr std::int32_t kNeighbour = 4;
constexpr std::size_t kNeighbourTokens = 3;

template <class Values>
auto Chosen(const Values& values, const Row& row, Dimension dimension) {
  return values[static_cast<std::size_t>(row.At(dimension))];
}

template <class Value>
bool Is(const Row& row, Dimension dimension, Value value) {
  return row.At(dimension) == static_cast<int>(value);
}

}  // namespace

std::span<const Feature> Features() {
  static const std::array<Feature, 9> kFeatures = {{
      {"heads", {"mha", "gqa", "mqa", "odd groups"}},
      {"storage", {"f32", "f16", "int8", "int4"}},
      {"place",
       {"contiguous", "pages of 1", "pages of 5", "pages of 16", "window of 7", "window of 65"}},
      {"head_size", {"1", "16", "33", "64", "100", "256"}},
      {"layers", {"1", "2", "3"}},
      {"tokens", {"1", "15", "16", "17", "64", "67", "129", "513"}},
      {"entry", {"append", "one by one", "prompt", "chunks"}},
      {"company", {"alone", "others", "repeated"}},
      {"scale", {"unit", "loud keys", "tiny values"}},
  }};
  return kFeatures;
}

int Row::Capabilities() const {
  int bits = IsInChunks() ? KV_CAN_CHUNKED : 0;
  bits |= IsGrouped() ? Chosen(kHeadCapabilities, *this, Dimension::kHeads) : 0;
  bits |= IsNarrow() ? Chosen(kStorageCapabilities, *this, Dimension::kStorage) : 0;
  bits |= IsPaged() ? KV_CAN_PAGED : 0;
  const bool has_window =
      IsChosen(Dimension::kPlace) && Chosen(kPlaces, *this, Dimension::kPlace).window > 0;
  return bits | (has_window ? KV_CAN_WINDOW : 0);
}

bool Row::IsPaged() const {
  return IsChosen(Dimension::kPlace) && Chosen(kPlaces, *this, Dimension::kPlace).page_size > 0;
}

bool Row::IsInChunks() const { return Is(*this, Dimension::kEntry, Entry::kChunks); }

bool Row::IsTooLarge() const {
  constexpr int kManyTokens = 512;
  constexpr int kLargestHead = 64;
  return IsChosen(Dimension::kTokens) &&
         Chosen(kTokenCounts, *this, Dimension::kTokens) > kManyTokens &&
         (At(Dimension::kLayers) > 0 ||
          (IsChosen(Dimension::kHeadSize) &&
           Chosen(kHeadSizes, *this, Dimension::kHeadSize) > kLargestHead));
}

Distribution Row::Scale() const { return Chosen(kScales, *this, Dimension::kScale); }

Script::Script(const FeatureChoice& choice, std::mt19937_64& random)
    : row_(choice),
      random_(random),
      tokens_(static_cast<std::size_t>(Chosen(kTokenCounts, row_, Dimension::kTokens))) {
  const auto [query_heads, kv_heads] = Chosen(kHeads, row_, Dimension::kHeads);
  const Place place = Chosen(kPlaces, row_, Dimension::kPlace);
  config_ = {.layers = row_.At(Dimension::kLayers) + 1,
             .query_heads = query_heads,
             .kv_heads = kv_heads,
             .head_size = Chosen(kHeadSizes, row_, Dimension::kHeadSize),
             .batch = kNeighbour + 1,
             .capacity = std::max(static_cast<std::int32_t>(tokens_) + kSpare, place.window),
             .storage = Chosen(kStorages, row_, Dimension::kStorage),
             .page_size = place.page_size,
             .window = place.window};
  if (config_.IsPaged()) {
    config_.pages = config_.batch * (PagesOf(static_cast<std::size_t>(config_.capacity)) + 1);
  }
}

std::int32_t Script::PagesOf(std::size_t tokens) const {
  return static_cast<std::int32_t>((tokens + PageSize() - 1) / PageSize());
}

bool Script::HasNeighbour() const { return Is(row_, Dimension::kCompany, Company::kOthers); }

void Script::LeavePages(std::int32_t pages) {
  const std::size_t most = tokens_ + (config_.layers > 1 ? 1 : 0);
  config_.pages = PagesOf(most) + (HasNeighbour() ? PagesOf(kNeighbourTokens) : 0) + pages;
}

void Script::Add(Operation operation) {
  operation.seed = random_();
  operation.distribution = row_.Scale();
  operations_.push_back(std::move(operation));
}

void Script::Begin() {
  for (std::int32_t layer = 0; HasNeighbour() && layer < config_.layers; ++layer) {
    Append(layer, kNeighbour, kNeighbourTokens);
  }
}

void Script::Store(std::int32_t sequence, std::size_t count) {
  for (std::int32_t layer = 0; layer < config_.layers; ++layer) {
    const std::size_t fewer = std::max<std::size_t>(count, 2) - 1;
    StoreIn(layer, sequence, layer == 0 ? count : layer == 1 ? count + 1 : fewer);
  }
}

void Script::StoreIn(std::int32_t layer, std::int32_t sequence, std::size_t count) {
  const bool is_empty = holds_.insert({layer, sequence}).second;
  if (Is(row_, Dimension::kEntry, Entry::kOneByOne)) {
    StoreOneByOne(layer, sequence, count);
  } else if (Is(row_, Dimension::kEntry, Entry::kChunks)) {
    // One more than a block of queries has, or any.
    constexpr std::array<std::size_t, 4> kLast = {1, 17, 65, 0};
    const std::size_t wanted = kLast[random_() % kLast.size()];
    const std::size_t last = wanted > 0 && wanted < count ? wanted : random_() % count;
    Prefill(layer, sequence, count - last);
    if (last > 0) {
      Prefill(layer, sequence, last);
    }
  } else if (Is(row_, Dimension::kEntry, Entry::kPrompt) && is_empty) {
    Prefill(layer, sequence, count);
  } else {
    Append(layer, sequence, count);
  }
}

void Script::StoreOneByOne(std::int32_t layer, std::int32_t sequence, std::size_t count) {
  constexpr std::size_t kSteps = 6;
  const std::size_t steps = std::min(count, kSteps);
  if (count > steps) {
    Append(layer, sequence, count - steps);
  }
  for (std::size_t i = 0; i < steps; ++i) {
    Append(layer, sequence, 1);
    Add({.kind = Operation::Kind::kAttend, .layer = layer, .sequences = {sequence}});
  }
}

void Script::AppendTo(const std::vector<std::int32_t>& sequences) {
  for (std::int32_t layer = 0; layer < config_.layers; ++layer) {
    Add({.kind = Operation::Kind::kAppend, .layer = layer, .sequences = sequences});
    for (const std::int32_t sequence : sequences) {
      holds_.insert({layer, sequence});
    }
  }
}

void Script::Append(std::int32_t layer, std::int32_t sequence, std::size_t count) {
  holds_.insert({layer, sequence});
  Add({.kind = Operation::Kind::kAppend,
       .layer = layer,
       .sequences = std::vector<std::int32_t>(count, sequence)});
}

void Script::Prefill(std::int32_t layer, std::int32_t sequence, std::size_t count) {
  Add({.kind = Operation::Kind::kPrefill,
       .layer = layer,
       .sequences = {sequence},
       .tokens = count});
}

void Script::Free(std::int32_t sequence) {
  for (std::int32_t layer = 0; layer < config_.layers; ++layer) {
    holds_.erase({layer, sequence});
  }
  Add({.kind = Operation::Kind::kFree, .sequences = {sequence}});
}

void Script::Fork(std::int32_t parent, std::int32_t child) {
  for (std::int32_t layer = 0; layer < config_.layers; ++layer) {
    holds_.insert({layer, child});
  }
  Add({.kind = Operation::Kind::kFork, .sequences = {parent}, .child = child});
}

void Script::Look(std::vector<std::int32_t> sequences) {
  const bool is_alone = Is(row_, Dimension::kCompany, Company::kAlone);
  if (HasNeighbour()) {
    sequences.push_back(kNeighbour);
    Shuffle(sequences);
  } else if (!is_alone) {
    sequences.insert(sequences.begin(), sequences.back());
  }
  for (std::int32_t layer = 0; layer < config_.layers; ++layer) {
    if (!is_alone) {
      Add({.kind = Operation::Kind::kAttend, .layer = layer, .sequences = sequences});
      continue;
    }
    for (const std::int32_t sequence : sequences) {
      Add({.kind = Operation::Kind::kAttend, .layer = layer, .sequences = {sequence}});
    }
  }
}

void Script::Shuffle(std::vector<std::int32_t>& sequences) {
  std::ranges::shuffle(sequences, random_);
}

}  // namespace assay::kvcache
