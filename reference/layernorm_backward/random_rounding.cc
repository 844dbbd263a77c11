// SPDX-License-Identifier: Apache-2.0
#include "random_rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace assay::layernorm {
namespace {

template <typename T>
constexpr double kRoundoff = std::numeric_limits<T>::epsilon() / 2;
template <typename T>
constexpr double kTiny = std::numeric_limits<T>::min();

/// What a sum makes of its terms, at one deviation.
template <typename T>
double Walk(std::size_t terms, double sum, double squares) {
  return kRoundoff<T> / 3 * std::sqrt(static_cast<double>(terms + 8) * (sum * sum + squares));
}

/// Sums over one row, in double: bounds need few digits.
struct RowSums {
  double centred2 = 0;         ///< (x - mean)^2
  double centred4 = 0;         ///< (x - mean)^4
  double d = 0;                ///< dy gamma
  double d2 = 0;               ///< its square
  double d_xhat = 0;           ///< d xhat
  double d_xhat2 = 0;          ///< its square
  double d_x = 0;              ///< d x
  double d_x2 = 0;             ///< its square
  double absolute_d_size = 0;  ///< |d| (|x| + |mean|)
  double absolute_d_xhat = 0;  ///< |d xhat|
};

template <typename T>
RowSums SumsOfRow(const Problem<T>& problem, const Normalised& forward, std::size_t row) {
  const double mean = static_cast<double>(forward.mean[row]);
  RowSums sums;
  for (std::size_t j = 0; j < problem.features; ++j) {
    const std::size_t at = row * problem.features + j;
    const double x = problem.x[at];
    const double xhat = static_cast<double>(forward.xhat[at]);
    const double d = static_cast<double>(problem.dy[at]) * static_cast<double>(problem.gamma[j]);
    const double squared = (x - mean) * (x - mean);
    sums.centred2 += squared;
    sums.centred4 += squared * squared;
    sums.d += d;
    sums.d2 += d * d;
    sums.d_xhat += d * xhat;
    sums.d_xhat2 += d * xhat * (d * xhat);
    sums.d_x += d * x;
    sums.d_x2 += d * x * (d * x);
    sums.absolute_d_size += std::abs(d) * (std::abs(x) + std::abs(mean));
    sums.absolute_d_xhat += std::abs(d * xhat);
  }
  return sums;
}

/// How far the statistics of a row are off, at so many deviations.
struct StatisticsError {
  double mean = 0;
  double relative_rstd = 0;
};

template <typename T>
StatisticsError ErrorOfStatistics(const Problem<T>& problem, double mean, const RowSums& sums,
                                  double deviations) {
  constexpr double u = kRoundoff<T>;
  const std::size_t features = problem.features;
  const auto count = static_cast<double>(features);
  const double variance = sums.centred2 / count;
  StatisticsError error;
  error.mean =
      deviations * Walk<T>(features, count * mean, count * (variance + mean * mean)) / count +
      2 * u * (std::abs(mean) + std::sqrt(variance)) + kTiny<T>;
  const double variance_error =
      deviations * Walk<T>(features, sums.centred2, sums.centred4) / count + 8 * u * variance +
      3 * std::sqrt(variance / count) * error.mean + 2 * error.mean * error.mean + 2 * kTiny<T>;
  const double radicand = variance + static_cast<double>(problem.eps);
  // In long double: what is left of 1 here is a few roundings of T.
  const long double relative = variance_error / radicand + 2 * u;
  error.relative_rstd = relative < 1 ? static_cast<double>(1 / std::sqrt(1 - relative) - 1) + 4 * u
                                     : std::numeric_limits<double>::infinity();
  return error;
}

/// What is known of a row when its elements are looked at.
template <typename T>
class RowModel {
 public:
  RowModel(const Problem<T>& problem, const Normalised& forward, std::size_t row,
           Statistics statistics)
      : problem_(problem),
        forward_(forward),
        row_(row),
        mean_(static_cast<double>(forward.mean[row])),
        rstd_(static_cast<double>(forward.rstd[row])),
        sums_(SumsOfRow(problem, forward, row)) {
    if (statistics == Statistics::kTaken) {
      one_ = ErrorOfStatistics(problem, mean_, sums_, 1);
      all_ = ErrorOfStatistics(problem, mean_, sums_, kDeviations);
    }
  }

  [[nodiscard]] const StatisticsError& error() const { return all_; }

  /// Of xhat, at one deviation: the part of a column that this row has.
  [[nodiscard]] double XhatErrorInColumn(std::size_t j) const { return XhatError(j, one_); }

  [[nodiscard]] double BoundOfY(std::size_t j, double y) const {
    constexpr double u = kRoundoff<T>;
    const double error = XhatError(j, all_);
    return std::abs(static_cast<double>(problem_.gamma[j])) *
               (error + 4 * u * (std::abs(Xhat(j)) + error)) +
           3 * u * (std::abs(y) + std::abs(static_cast<double>(problem_.beta[j]))) + 2 * kTiny<T>;
  }

  /// Bounds of the row's dx, from its oracle's, into `bound`.
  void BoundDx(std::span<const long double> dx, std::span<double> bound) const {
    constexpr double u = kRoundoff<T>;
    const auto count = static_cast<double>(problem_.features);
    const double first = sums_.d / count;
    const double second = sums_.d_xhat / count;
    const double first_error = MeanError(sums_.d, sums_.d2) + 4 * u * std::abs(first) + kTiny<T>;
    const double second_error = SecondMeanError(first, second);
    const double factor = (1 + all_.relative_rstd) * rstd_;
    for (std::size_t j = 0; j < problem_.features; ++j) {
      const double d =
          static_cast<double>(problem_.dy[At(j)]) * static_cast<double>(problem_.gamma[j]);
      const double xhat = std::abs(Xhat(j));
      const double inner = 6 * u * (std::abs(d) + std::abs(first) + xhat * std::abs(second)) +
                           first_error + xhat * second_error +
                           2 * XhatError(j, all_) * (std::abs(second) + second_error) +
                           4 * kTiny<T>;
      bound[j] = factor * inner +
                 (all_.relative_rstd + 4 * u) * std::abs(static_cast<double>(dx[j])) + kTiny<T>;
    }
  }

 private:
  [[nodiscard]] std::size_t At(std::size_t j) const { return row_ * problem_.features + j; }
  [[nodiscard]] double Xhat(std::size_t j) const {
    return static_cast<double>(forward_.xhat[At(j)]);
  }

  [[nodiscard]] double XhatError(std::size_t j, const StatisticsError& error) const {
    constexpr double u = kRoundoff<T>;
    const double x = std::abs(static_cast<double>(problem_.x[At(j)]));
    return (1 + error.relative_rstd) * rstd_ *
               (error.mean + 3 * u * (x + std::abs(mean_) + error.mean)) +
           (error.relative_rstd + 3 * u) * std::abs(Xhat(j)) + kTiny<T>;
  }

  /// Of the mean of terms with that sum and sum of squares.
  [[nodiscard]] double MeanError(double sum, double squares) const {
    return kDeviations * Walk<T>(problem_.features, sum, squares) /
           static_cast<double>(problem_.features);
  }

  /// Of M2, in all its forms: a shift of xhat by c moves it by c M1, a factor by itself, and only
  /// what each element has of its own is added up.
  [[nodiscard]] double SecondMeanError(double first, double second) const {
    constexpr double u = kRoundoff<T>;
    const auto count = static_cast<double>(problem_.features);
    const double factor = (1 + all_.relative_rstd) * rstd_;
    const double walks =
        MeanError(sums_.d_xhat, sums_.d_xhat2) +
        rstd_ * (MeanError(sums_.d_x, sums_.d_x2) + std::abs(mean_) * MeanError(sums_.d, sums_.d2));
    const double own = 3 * u * (factor * sums_.absolute_d_size + sums_.absolute_d_xhat) / count;
    return walks + own + factor * all_.mean * std::abs(first) +
           (all_.relative_rstd + 6 * u) * std::abs(second) + kTiny<T>;
  }

  const Problem<T>& problem_;
  const Normalised& forward_;
  std::size_t row_;
  double mean_;
  double rstd_;
  RowSums sums_;
  StatisticsError one_ = {};
  StatisticsError all_ = {};
};

/// What the bounds of a column's sums are made of.
struct ColumnSums {
  double error2 = 0;    ///< (dy times what xhat is off by)^2
  double product2 = 0;  ///< (dy xhat)^2
  double dy2 = 0;       ///< dy^2

  template <typename T>
  void Add(const RowModel<T>& row, std::size_t j, double dy, double xhat) {
    const double error = dy * row.XhatErrorInColumn(j);
    error2 += error * error;
    product2 += dy * xhat * (dy * xhat);
    dy2 += dy * dy;
  }
  template <typename T>
  [[nodiscard]] double BoundOfDgamma(std::size_t rows, double dgamma) const {
    return kDeviations * (std::sqrt(error2) + Walk<T>(rows, dgamma, product2)) +
           8 * kRoundoff<T> * std::abs(dgamma) + static_cast<double>(rows) * kTiny<T>;
  }
  template <typename T>
  [[nodiscard]] double BoundOfDbeta(std::size_t rows, double dbeta) const {
    return kDeviations * Walk<T>(rows, dbeta, dy2) + 2 * kRoundoff<T> * std::abs(dbeta) + kTiny<T>;
  }
};

/// The bounds of y and dx into `bounds`, and what is to be added up for those of the columns.
template <typename T>
std::vector<ColumnSums> BoundRows(const Problem<T>& problem, const Answer& answer,
                                  Statistics statistics, Bounds& bounds) {
  const std::size_t features = problem.features;
  std::vector<ColumnSums> columns(features);
  bounds.y.resize(problem.x.size());
  bounds.dx.resize(problem.x.size());
  for (std::size_t i = 0; i < problem.rows; ++i) {
    const RowModel<T> row(problem, answer.forward, i, statistics);
    const std::size_t first = i * features;
    const double rstd = static_cast<double>(answer.forward.rstd[i]);
    const double mean = std::abs(static_cast<double>(answer.forward.mean[i]));
    bounds.mean.push_back(row.error().mean + kRoundoff<T> * mean);
    bounds.rstd.push_back(row.error().relative_rstd * rstd);
    row.BoundDx(std::span(answer.gradients.dx).subspan(first, features),
                std::span(bounds.dx).subspan(first, features));
    for (std::size_t j = 0; j < features; ++j) {
      bounds.y[first + j] = row.BoundOfY(j, static_cast<double>(answer.forward.y[first + j]));
      columns[j].Add(row, j, static_cast<double>(problem.dy[first + j]),
                     static_cast<double>(answer.forward.xhat[first + j]));
    }
  }
  return columns;
}

void TakeSmaller(std::vector<double>& bound, const std::vector<double>& worst_case) {
  std::ranges::transform(bound, worst_case, bound.begin(),
                         [](double own, double worst) { return own < worst ? own : worst; });
}

double Rms(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) {
    squares += value * value;
  }
  return std::sqrt(squares / static_cast<double>(values.size()));
}

}  // namespace

template <typename T>
Bounds RandomRoundingBounds(const Problem<T>& problem, const Answer& answer,
                            Statistics statistics) {
  Bounds bounds;
  const std::vector<ColumnSums> columns = BoundRows(problem, answer, statistics, bounds);
  for (std::size_t j = 0; j < problem.features; ++j) {
    bounds.dgamma.push_back(
        columns[j].BoundOfDgamma<T>(problem.rows, static_cast<double>(answer.gradients.dgamma[j])));
    bounds.dbeta.push_back(
        columns[j].BoundOfDbeta<T>(problem.rows, static_cast<double>(answer.gradients.dbeta[j])));
  }
  const Bounds& worst_case = answer.bounds;
  TakeSmaller(bounds.mean, worst_case.mean);
  TakeSmaller(bounds.rstd, worst_case.rstd);
  TakeSmaller(bounds.y, worst_case.y);
  TakeSmaller(bounds.dx, worst_case.dx);
  TakeSmaller(bounds.dgamma, worst_case.dgamma);
  TakeSmaller(bounds.dbeta, worst_case.dbeta);
  return bounds;
}

template <typename T>
double RmsOverBound(std::span<const T> got, std::span<const long double> want,
                    std::span<const double> bound) {
  double squares = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto error = static_cast<double>(static_cast<long double>(got[i]) - want[i]);
    if (error != 0) {  // Also where the bound is 0.
      squares += error / bound[i] * (error / bound[i]);
    }
  }
  return got.empty() ? 0 : std::sqrt(squares / static_cast<double>(got.size()));
}

template <typename T>
RmsBounds RmsBoundsOfRowsLike(const Problem<T>& sample, const Answer& answer, std::size_t rows) {
  Bounds bounds;
  const std::vector<ColumnSums> columns = BoundRows(sample, answer, Statistics::kTaken, bounds);
  ColumnSums usual;
  const double scale = static_cast<double>(rows) / static_cast<double>(sample.rows) /
                       static_cast<double>(sample.features);
  for (const ColumnSums& column : columns) {
    usual.error2 += column.error2 * scale;
    usual.product2 += column.product2 * scale;
    usual.dy2 += column.dy2 * scale;
  }
  // The square of a sum of terms about 0 is on average the sum of their squares.
  return {.y = Rms(bounds.y),
          .dx = Rms(bounds.dx),
          .dgamma = usual.BoundOfDgamma<T>(rows, std::sqrt(usual.product2)),
          .dbeta = usual.BoundOfDbeta<T>(rows, std::sqrt(usual.dy2))};
}

#define ASSAY_LAYERNORM_INSTANTIATE(T)                                                \
  template Bounds RandomRoundingBounds(const Problem<T>&, const Answer&, Statistics); \
  template double RmsOverBound(std::span<const T>, std::span<const long double>,      \
                               std::span<const double>);                              \
  template RmsBounds RmsBoundsOfRowsLike(const Problem<T>&, const Answer&, std::size_t)
ASSAY_LAYERNORM_INSTANTIATE(float);
ASSAY_LAYERNORM_INSTANTIATE(double);
#undef ASSAY_LAYERNORM_INSTANTIATE

}  // namespace assay::layernorm
