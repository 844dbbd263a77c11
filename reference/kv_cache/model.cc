// SPDX-License-Identifier: Apache-2.0
#include "model.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

#include "interface.h"

namespace assay::kvcache {
namespace {

constexpr std::int32_t kLargestHead = 256;

std::size_t Unsigned(std::int32_t value) { return static_cast<std::size_t>(value); }

}  // namespace

bool CacheModel::PageTable::MakeOwn(std::size_t sequence, std::size_t page_index) {
  std::vector<Page>& own = of_sequence[sequence];
  if (page_index < own.size() && users[own[page_index]] == 1) {
    return true;
  }
  if (unused.empty()) {
    return false;
  }
  const Page page = unused.back();
  unused.pop_back();
  users[page] = 1;
  if (page_index < own.size()) {
    --users[own[page_index]];
    own[page_index] = page;
  } else {
    own.push_back(page);
  }
  return true;
}

void CacheModel::PageTable::Release(std::size_t sequence) {
  for (const Page page : of_sequence[sequence]) {
    if (--users[page] == 0) {
      unused.push_back(page);
    }
  }
  of_sequence[sequence].clear();
}

CacheModel::CacheModel(const Config& config)
    : config_(config),
      histories_(Unsigned(config.layers) * Unsigned(config.batch)),
      pages_{.of_sequence = std::vector<std::vector<Page>>(Unsigned(config.batch)),
             .users = std::vector<std::size_t>(Unsigned(config.pages)),
             .unused = std::vector<Page>(Unsigned(config.pages))} {
  std::iota(pages_.unused.begin(), pages_.unused.end(), Page{0});
}

bool CacheModel::IsValid(const Config& config) {
  const auto positive = {config.layers,    config.query_heads, config.kv_heads,
                         config.head_size, config.batch,       config.capacity};
  return std::ranges::all_of(positive, [](std::int32_t value) { return value >= 1; }) &&
         config.query_heads % config.kv_heads == 0 && config.head_size <= kLargestHead &&
         config.page_size >= 0 && config.pages >= 0 &&
         (config.page_size > 0) == (config.pages > 0) && config.window >= 0 &&
         config.window <= config.capacity;
}

bool CacheModel::HasLayer(std::int32_t layer) const { return layer >= 0 && layer < config_.layers; }

bool CacheModel::HasSequence(std::int32_t sequence) const {
  return sequence >= 0 && sequence < config_.batch;
}

std::size_t CacheModel::HistoryIndex(std::int32_t layer, std::int32_t sequence) const {
  return Unsigned(layer) * Unsigned(config_.batch) + Unsigned(sequence);
}

const History& CacheModel::At(std::int32_t layer, std::int32_t sequence) const {
  return histories_[HistoryIndex(layer, sequence)];
}

std::size_t CacheModel::Length(std::int32_t layer, std::int32_t sequence) const {
  return At(layer, sequence).Tokens(config_);
}

std::size_t CacheModel::FirstVisible(std::int32_t layer, std::int32_t sequence) const {
  const std::size_t length = Length(layer, sequence);
  const std::size_t window = Unsigned(config_.window);
  return window != 0 && length > window ? length - window : 0;
}

int CacheModel::Check(std::int32_t layer, std::span<const std::int32_t> sequences) const {
  if (!HasLayer(layer) ||
      !std::ranges::all_of(sequences, [this](std::int32_t s) { return HasSequence(s); })) {
    return KV_INVALID_ARGUMENT;
  }
  // With a window old tokens make room, and there is no end.
  const std::size_t capacity =
      config_.window > 0 ? std::numeric_limits<std::size_t>::max() : Unsigned(config_.capacity);
  std::vector<std::size_t> more(Unsigned(config_.batch));
  for (const std::int32_t sequence : sequences) {
    if (Length(layer, sequence) + ++more[Unsigned(sequence)] > capacity) {
      return KV_CAPACITY;
    }
  }
  return KV_OK;
}

bool CacheModel::TakePages(std::int32_t layer, std::span<const std::int32_t> sequences,
                           PageTable* pages) const {
  std::vector<std::size_t> stored(Unsigned(config_.batch));
  for (const std::int32_t sequence : sequences) {
    const std::size_t position = Length(layer, sequence) + stored[Unsigned(sequence)]++;
    if (!pages->MakeOwn(Unsigned(sequence), position / Unsigned(config_.page_size))) {
      return false;
    }
  }
  return true;
}

int CacheModel::Append(std::int32_t layer, std::span<const std::int32_t> sequences,
                       std::span<const float> k, std::span<const float> v) {
  if (const int status = Check(layer, sequences); status != KV_OK) {
    return status;
  }
  if (config_.IsPaged()) {
    PageTable pages = pages_;
    if (!TakePages(layer, sequences, &pages)) {
      return KV_NO_PAGES;
    }
    pages_ = std::move(pages);
  }
  const std::vector<float> stored_k = Stored(config_, k);
  const std::vector<float> stored_v = Stored(config_, v);
  const std::size_t elements = config_.KeyElements();
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    History& history = histories_[HistoryIndex(layer, sequences[i])];
    const auto from = static_cast<std::ptrdiff_t>(i * elements);
    const auto to = static_cast<std::ptrdiff_t>((i + 1) * elements);
    history.k.insert(history.k.end(), stored_k.begin() + from, stored_k.begin() + to);
    history.v.insert(history.v.end(), stored_v.begin() + from, stored_v.begin() + to);
  }
  return KV_OK;
}

int CacheModel::Free(std::int32_t sequence) {
  if (!HasSequence(sequence)) {
    return KV_INVALID_ARGUMENT;
  }
  for (std::int32_t layer = 0; layer < config_.layers; ++layer) {
    histories_[HistoryIndex(layer, sequence)] = {};
  }
  pages_.Release(Unsigned(sequence));
  return KV_OK;
}

int CacheModel::Fork(std::int32_t parent, std::int32_t child) {
  if (!HasSequence(parent) || !HasSequence(child) || parent == child) {
    return KV_INVALID_ARGUMENT;
  }
  for (std::int32_t layer = 0; layer < config_.layers; ++layer) {
    if (Length(layer, child) != 0) {
      return KV_INVALID_ARGUMENT;
    }
  }
  for (std::int32_t layer = 0; layer < config_.layers; ++layer) {
    histories_[HistoryIndex(layer, child)] = At(layer, parent);
  }
  pages_.of_sequence[Unsigned(child)] = pages_.of_sequence[Unsigned(parent)];
  for (const Page page : pages_.of_sequence[Unsigned(child)]) {
    ++pages_.users[page];
  }
  return KV_OK;
}

std::size_t CacheModel::PagesInUse() const { return pages_.InUse(); }

std::size_t CacheModel::PagesFree() const { return Unsigned(config_.pages) - PagesInUse(); }

std::size_t CacheModel::UsedBytes() const {
  if (config_.IsPaged()) {
    return PagesInUse() * Unsigned(config_.page_size) * Unsigned(config_.layers) *
           TokenBytes(config_);
  }
  std::size_t tokens = 0;
  for (const History& history : histories_) {
    const std::size_t length = history.Tokens(config_);
    tokens += config_.window > 0 ? std::min(length, Unsigned(config_.window)) : length;
  }
  return tokens * TokenBytes(config_);
}

bool CacheModel::IsCloseToTheLastPage(std::int32_t layer,
                                      std::span<const std::int32_t> sequences) const {
  if (!config_.IsPaged() || Check(layer, sequences) != KV_OK) {
    return false;
  }
  PageTable pages = pages_;
  if (!TakePages(layer, sequences, &pages)) {
    return false;
  }
  // Counted beforehand, every page that a sequence stores into and that is shared now takes one.
  std::size_t most = 0;
  for (std::size_t s = 0; s < pages_.of_sequence.size(); ++s) {
    const auto& before = pages_.of_sequence[s];
    const auto more =
        static_cast<std::size_t>(std::ranges::count(sequences, static_cast<std::int32_t>(s)));
    if (more == 0) {
      continue;
    }
    const std::size_t length = Length(layer, static_cast<std::int32_t>(s));
    const std::size_t size = Unsigned(config_.page_size);
    for (std::size_t page = length / size; page <= (length + more - 1) / size; ++page) {
      most += page >= before.size() || pages_.users[before[page]] > 1 ? 1U : 0U;
    }
  }
  return most > PagesFree();
}

}  // namespace assay::kvcache
