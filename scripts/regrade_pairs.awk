# SPDX-License-Identifier: Apache-2.0
# awk -F '\t' -f regrade_pairs.awk FILE...
#
# Of files of time_rows.cmake, one for each grading of the same submission, all pairs of gradings: for
# each row of time and each workload how many differ at .05, the root mean square of z and how many
# would be told apart in a matchup, where Holm's procedure asks for more; then whether scores stayed
# within their uncertainty. z is the difference of two logs over the standard error of both, that of one
# being the width of its 95 % interval over 2 * 1.96, as in harness/score/time_rows.cc. Pairs during which
# the machine's memory was of another speed (DifferInBandwidth there) are not compared, as in a matchup.
# Exit status: 1 where more than 5 % of the pairs of rows differ, or any would be told apart, or a score
# left its uncertainty, or no pair is left to compare.
FNR == 1 { ++gradings }
$1 == "overall" { score[gradings] = $2; sure[gradings] = $3; next }
$1 == "row" && $3 != "measured" { ++missing[$2]; next }
$1 == "row" { Keep("row " $2, $4, $5, $6) }
$1 == "workload" { Keep("workload " $2, $3, $4, $5) }
$1 == "bandwidth" { log_rate[gradings, ++rates[gradings]] = log($2) }

function Keep(name, value, low, high) {
  if (!(name in known)) { known[name] = ++names; name_of[names] = name }
  if (low + 0 <= 0 || high == "inf") { ++unbounded[name]; return }
  log_of[name, gradings] = log(value)
  error_of[name, gradings] = (log(high) - log(low)) / (2 * 1.959964)
}

# 97.5 % quantile of Student's t: StudentQuantile in harness/evidence/statistics.cc.
function StudentQuantile(f,  z, z2) {
  z = 1.959963984540054
  z2 = z * z
  if (f < 2) f = 2
  return z + (z * (z2 + 1) / 4 + (z * ((5 * z2 + 16) * z2 + 3) / 96 + \
    (z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384 + \
     z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160 / f) / f) / f) / f
}

# Mean over the runs of grading a, and the variance of it.
function SummariseRates(a,  i, sum, squares) {
  for (i = 1; i <= rates[a]; ++i) sum += log_rate[a, i]
  mean_rate[a] = sum / rates[a]
  for (i = 1; i <= rates[a]; ++i) squares += (log_rate[a, i] - mean_rate[a]) ^ 2
  variance_of_rate[a] = squares / (rates[a] - 1) / rates[a]
}

function DifferInBandwidth(a, b,  va, vb, f) {
  if (rates[a] < 2 || rates[b] < 2) return 0
  va = variance_of_rate[a]
  vb = variance_of_rate[b]
  f = va + vb > 0 ? (va + vb) ^ 2 / (va ^ 2 / (rates[a] - 1) + vb ^ 2 / (rates[b] - 1)) : 2
  return (mean_rate[a] - mean_rate[b]) ^ 2 > StudentQuantile(f) ^ 2 * (va + vb)
}

# Two-sided, of the standard normal: Abramowitz, Stegun, 7.1.26.
function PValue(z,  x, t) {
  x = (z < 0 ? -z : z) / sqrt(2)
  t = 1 / (1 + 0.3275911 * x)
  return ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + \
          0.254829592) * t * exp(-x * x)
}

END {
  pairs_of_rows = gradings * (gradings - 1) / 2
  for (i = 1; i <= names; ++i) rows += name_of[i] ~ /^row /
  for (a = 1; a <= gradings; ++a) if (rates[a] > 1) SummariseRates(a)
  for (a = 1; a <= gradings; ++a)
    for (b = a + 1; b <= gradings; ++b) if (DifferInBandwidth(a, b)) { apart[a, b]; ++pairs_apart }
  printf "%-44s %6s %6s %6s %6s %9s\n", "", "pairs", "differ", "told", "rms z", "+- median"
  for (i = 1; i <= names; ++i) {
    name = name_of[i]
    pairs = differ = told = squares = count = 0
    for (a = 1; a <= gradings; ++a) {
      if (!((name, a) in log_of)) continue
      width[++count] = 1.959964 * error_of[name, a]
      for (b = a + 1; b <= gradings; ++b) {
        if (!((name, b) in log_of) || (a, b) in apart) continue
        error = sqrt(error_of[name, a] ^ 2 + error_of[name, b] ^ 2)
        difference = log_of[name, a] - log_of[name, b]
        z = error > 0 ? difference / error : difference == 0 ? 0 : 99
        ++pairs
        squares += z * z
        p = PValue(z)
        differ += p < 0.05
        told += p < 0.05 / (pairs_of_rows * rows)
      }
    }
    if (name ~ /^row /) { all += pairs; all_differ += differ; all_told += told; all_squares += squares }
    # The middle one of the half widths.
    for (a = 2; a <= count; ++a)
      for (b = a; b > 1 && width[b] < width[b - 1]; --b) { w = width[b]; width[b] = width[b - 1]; width[b - 1] = w }
    printf "%-44s %6d %6d %6d %6.2f %7.1f %%", name, pairs, differ, told,
      (pairs ? sqrt(squares / pairs) : 0), (count ? 100 * (exp(width[int((count + 1) / 2)]) - 1) : 0)
    if (unbounded[name]) printf "  without an interval in %d", unbounded[name]
    printf "\n"
  }
  for (name in missing) printf "row %s: not measured in %d of %d gradings\n", name, missing[name], gradings
  if (pairs_apart)
    printf "%d of %d pairs were graded while memory was of another speed, and are not compared\n", pairs_apart, pairs_of_rows
  printf "all rows: %d of %d pairs differ at .05 (%.1f %%), %d would be told apart, rms z %.2f\n",
    all_differ, all, (all ? 100 * all_differ / all : 0), all_told, (all ? sqrt(all_squares / all) : 0)
  low = high = score[1]
  for (a = 1; a <= gradings; ++a) {
    if (score[a] < low) low = score[a]
    if (score[a] > high) high = score[a]
    for (b = a + 1; b <= gradings; ++b) {
      difference = score[a] - score[b]
      left += difference * difference > sure[a] ^ 2 + sure[b] ^ 2
    }
  }
  printf "scores: %.1f to %.1f, +- %.1f in the first; %d of %d pairs further apart than their uncertainty\n",
    low, high, sure[1], left, pairs_of_rows
  exit (all_differ > 0.05 * all || all_told > 0 || left > 0 || (names && !all))
}
