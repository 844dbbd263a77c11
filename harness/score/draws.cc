// SPDX-License-Identifier: Apache-2.0
#include "score/draws.h"

#include <cmath>
#include <numbers>

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
  constexpr double kOfBits = 0x1p-53;
  return (static_cast<double>(Mixed(state_) >> 11U) + 0.5) * kOfBits;
}

double Draws::Exponential() { return -std::log(Uniform()); }

double Draws::Normal() {
  const double radius = std::sqrt(2 * Exponential());
  return radius * std::cos(2 * std::numbers::pi * Uniform());
}

double Draws::HalfGamma() {
  const double normal = Normal();
  return normal * normal / 2;
}

}  // namespace assay
