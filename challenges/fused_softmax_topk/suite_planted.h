// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CHALLENGES_FUSED_SOFTMAX_TOPK_SUITE_PLANTED_H_
#define ASSAY_CHALLENGES_FUSED_SOFTMAX_TOPK_SUITE_PLANTED_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <random>
#include <vector>

#include "suite_support.h"

namespace assay::softmax_topk {

/// The fixture of cases that choose where in a row its winners lie, or its mass. Rows of one call
/// differ: rows that are merged with each other show.
template <class Variant>
class PlantedTest : public VariantTest<Variant> {
 protected:
  using Logit = typename Variant::Logit;
  using ClassOf = std::function<std::size_t(std::size_t)>;

  /// Winners are 3 to 8 above the rest and carry most of the mass.
  double Winner() { return std::uniform_real_distribution<double>(3, 8)(this->random()); }
  [[nodiscard]] Problem<Logit> WithoutWinners(Shape shape) {
    return this->Random(shape, {.offset = -4, .scale = 0.5});
  }

  /// A row for each of `classes`, whose k winners lie at random places i with class_of(i) == class.
  Problem<Logit> PlantedIn(const std::vector<std::size_t>& classes, std::size_t vocabulary,
                           std::size_t k, const ClassOf& class_of) {
    auto problem = WithoutWinners({classes.size(), vocabulary, k});
    for (std::size_t row = 0; row < classes.size(); ++row) {
      std::vector<std::size_t> places;
      for (std::size_t i = 0; i < vocabulary; ++i) {
        if (class_of(i) == classes[row]) {
          places.push_back(i);
        }
      }
      std::ranges::shuffle(places, this->random());
      places.resize(std::min(k, places.size()));
      for (const std::size_t place : places) {
        problem.logits[row * vocabulary + place] = Nearest<Logit>(Winner());
      }
    }
    return problem;
  }

  /// In each row one winner for each of eight threads of 256; which, `turn` and the row say.
  Problem<Logit> OneOfEachThreadOf(std::size_t rows, std::size_t turn) {
    constexpr std::size_t kVocabulary = 2048;
    auto problem = WithoutWinners({rows, kVocabulary, 8});
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t shift = row + turn;
      for (std::size_t j = 0; j < 8; ++j) {
        const std::size_t thread = j * 32 + (shift * 11 + j * 5) % 32;
        problem.logits[row * kVocabulary + thread + 256 * ((shift + j) % 8)] =
            Nearest<Logit>(Winner());
      }
    }
    return problem;
  }

  static constexpr std::size_t kEdges[] = {0,   31,  32,   63,   64,   127,  128,  255,  256, 511,
                                           512, 767, 1023, 1024, 2047, 2048, 3071, 4095, 4094};

  /// In each row three winners at first and last places of tiles.
  Problem<Logit> OnEdgesOfTiles(std::size_t rows, std::size_t turn) {
    constexpr std::size_t kVocabulary = 4096;
    constexpr std::size_t kCount = std::size(kEdges);
    auto problem = WithoutWinners({rows, kVocabulary, 3});
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t first = row + turn;
      for (const std::size_t ahead : {0U, 7U, 12U}) {
        problem.logits[row * kVocabulary + kEdges[(first + ahead) % kCount]] =
            Nearest<Logit>(Winner());
      }
    }
    return problem;
  }

  /// The largest at the beginning of each row, and near its end the next, whose mass shows in the
  /// probability of the largest. Where, `turn` and the row say.
  Problem<Logit> WithMassAtTheEnd(std::size_t rows, std::size_t vocabulary, std::size_t turn) {
    auto problem = this->Random({rows, vocabulary, 1}, {.offset = -9, .scale = 0.5});
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t shift = (row + turn) % 6;
      problem.logits[row * vocabulary + shift] = Nearest<Logit>(2);
      problem.logits[(row + 1) * vocabulary - 1 - shift] = Nearest<Logit>(1);
    }
    return problem;
  }
};

}  // namespace assay::softmax_topk

#endif  // ASSAY_CHALLENGES_FUSED_SOFTMAX_TOPK_SUITE_PLANTED_H_
