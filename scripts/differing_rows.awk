# SPDX-License-Identifier: Apache-2.0
# awk -F '\t' -f differing_rows.awk BEFORE AFTER
#
# Of two files of score_rows.cmake, a line for each row that no clock decides and whose state or score
# is not the same in both. Scores are the same where a report prints the same digit; those of kind gpu
# also where other compilers made the code that was counted, and they are no more than 2 points apart.
NR == FNR && $1 == "compiler" { compiler = $2; next }
$1 == "compiler" { same_compiler = $2 == compiler; next }
$1 != "row" || $3 == "timed" { next }
NR == FNR { state[$2] = $4; score[$2] = $5; next }
$2 in state && state[$2] == $4 {
  difference = score[$2] - $5
  if (difference < 0) difference = -difference
  allowed = $3 == "emulated" && !same_compiler ? 2 : 0.05
  if (difference < allowed && (score[$2] == "") == ($5 == "")) next
}
{
  printf "  %s: %s, score %s; in the evidence: %s, score %s\n", $2, $4, $5,
    $2 in state ? state[$2] : "no such row", score[$2]
}
