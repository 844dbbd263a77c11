# SPDX-License-Identifier: Apache-2.0
# awk -F '\t' -f regrade_slowdown.awk ORIGINAL SLOWED
#
# Of two files of time_rows.cmake: whether the second is slower beyond chance, over all workloads that
# both timed: the mean of the differences of their logs over its standard error is above 1.96. Prints a
# line; exit status 1 where it was not found.
$1 != "workload" || $4 + 0 <= 0 || $5 == "inf" { next }
{ error = (log($5) - log($4)) / (2 * 1.959964) }
NR == FNR { log_of[$2] = log($3); error_of[$2] = error; next }
$2 in log_of {
  ++workloads
  sum += log($3) - log_of[$2]
  squares += error ^ 2 + error_of[$2] ^ 2
}
END {
  if (workloads == 0) { print "no workload was timed in both"; exit 1 }
  z = squares > 0 ? sum / sqrt(squares) : 0
  is_found = z > 1.959964
  printf "%+.1f %% over %d workloads, z %.2f: %s\n", 100 * (exp(sum / workloads) - 1), workloads, z,
    (is_found ? "found" : "not found")
  exit !is_found
}
