// SPDX-License-Identifier: Apache-2.0
#include "score/draws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "score/elementary.h"

namespace assay {
namespace {

constexpr std::uint64_t kFnvOffset = 0xcbf29ce484222325U;
constexpr std::uint64_t kFnvPrime = 0x100000001b3U;
constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;
constexpr char kEndOfPart = '\0';

std::uint64_t Mixed(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// So many numbers are drawn at once. First all that is whole numbers, which has no vector
/// instructions on every machine, then all the rest, which has.
constexpr std::size_t kBlock = 80;

/// The uniform number of a state.
double UniformOf(std::uint64_t state) {
  constexpr double kOfBits = 0x1p-53;
  // Signed: there is an instruction for that.
  return (static_cast<double>(static_cast<std::int64_t>(Mixed(state) >> 11U)) + 0.5) * kOfBits;
}

/// The next uniform numbers of a stream, in turn for `first` and `second`.
struct UniformPairs {
  explicit UniformPairs(std::uint64_t state) {
    for (std::size_t i = 0; i < kBlock; ++i) {
      first[i] = UniformOf(state + (2 * i + 1) * kGolden);
      second[i] = UniformOf(state + (2 * i + 2) * kGolden);
    }
  }
  std::array<double, kBlock> first;
  std::array<double, kBlock> second;
};

template <class Number, class Fill>
void FillInBlocks(std::span<Number> numbers, Fill fill) {
  while (!numbers.empty()) {
    const std::span<Number> block = numbers.first(std::min(kBlock, numbers.size()));
    fill(block);
    numbers = numbers.subspan(block.size());
  }
}

void Add(char letter, std::uint64_t& hash) {
  hash = (hash ^ static_cast<unsigned char>(letter)) * kFnvPrime;
}

}  // namespace

Draws::Draws(int seed, std::initializer_list<std::string_view> name) : state_(kFnvOffset) {
  for (const std::string_view part : name) {
    for (const char letter : part) {
      Add(letter, state_);
    }
    Add(kEndOfPart, state_);
  }
  state_ = Mixed(state_ + static_cast<std::uint64_t>(seed) * kGolden);
}

double Draws::Uniform() {
  state_ += kGolden;
  return UniformOf(state_);
}

void Draws::Exponentials(std::span<float> numbers) {
  for (float& number : numbers) {  // Not in blocks: of these there are few.
    number = static_cast<float>(-LogOf(Uniform()));
  }
}

void Draws::Normals(std::span<double> numbers) {
  FillInBlocks(numbers, [this](std::span<double> block) {
    const UniformPairs pairs(state_);
    for (std::size_t i = 0; i < block.size(); ++i) {
      block[i] = std::sqrt(-2 * LogOf(pairs.first[i])) * CosineOf(pairs.second[i]);
    }
    state_ += 2 * block.size() * kGolden;
  });
}

void Draws::HalfGammas(std::span<float> numbers) {
  FillInBlocks(numbers, [this](std::span<float> block) {
    const UniformPairs pairs(state_);
    for (std::size_t i = 0; i < block.size(); ++i) {
      // Half the square of a normal number.
      const double cosine = CosineOf(pairs.second[i]);
      block[i] = static_cast<float>(-LogOf(pairs.first[i]) * cosine * cosine);
    }
    state_ += 2 * block.size() * kGolden;
  });
}

}  // namespace assay
