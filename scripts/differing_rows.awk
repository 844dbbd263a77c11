# SPDX-License-Identifier: Apache-2.0
# awk -F '\t' -f differing_rows.awk BEFORE AFTER
#
# Of two files of score_rows.cmake, a line for each row that no clock decides and whose state or score
# is not the same in both; scores are the same where a report prints the same digit.
$1 != "row" || $3 != "measured" { next }
NR == FNR { state[$2] = $4; score[$2] = $5; next }
$2 in state && state[$2] == $4 {
  difference = score[$2] - $5
  if (difference < 0.05 && difference > -0.05 && (score[$2] == "") == ($5 == "")) next
}
{
  printf "  %s: %s, score %s; in the evidence: %s, score %s\n", $2, $4, $5,
    $2 in state ? state[$2] : "no such row", score[$2]
}
