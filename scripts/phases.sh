#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# To be sourced: `phase NAME COMMAND...` runs a part of a long script, `print_phases` says where the
# minutes went. Run with --help for more.

# One line a phase: its name, seconds on the wall, processor seconds, exit status.
PHASES=()

# The command may be a function of the script; `set -e` does not reach into one, as in any condition.
phase() {
  local name=$1 status=0 start_us end_us cpu
  shift
  start_us=${EPOCHREALTIME/[.,]/}
  cpu=$(processor_seconds)
  "$@" || status=$?
  end_us=${EPOCHREALTIME/[.,]/}
  cpu=$(awk -v after="$(processor_seconds)" -v before="$cpu" 'BEGIN { print after - before }')
  PHASES+=("$name $(((end_us - start_us) / 1000)) $cpu $status")
  return "$status"
}

# Of all processes that this shell waited for: cutime and cstime of proc(5).
processor_seconds() {
  awk -v ticks="$(getconf CLK_TCK)" '{ print ($16 + $17) / ticks }' "/proc/$$/stat"
}

print_phases() {
  ((${#PHASES[@]})) || return 0
  printf '\n%-24s | %9s | %9s |\n' phase minutes 'cpu min.'
  printf '%s\n' "${PHASES[@]}" | awk '
    { wall = $2 / 60000; cpu = $3 / 60; walls += wall; cpus += cpu
      printf "%-24s | %9.1f | %9.1f | %s\n", $1, wall, cpu, $4 == 0 ? "" : "failed, exit status " $4 }
    END { printf "%-24s | %9.1f | %9.1f |\n", "all", walls, cpus }'
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  cat <<'EOF'
usage: source scripts/phases.sh

  phase NAME COMMAND [ARGUMENT...]   runs the command, and notes its time under NAME (one word)
  print_phases                       prints a table of the phases so far: minutes on the wall,
                                     minutes of processors, and which failed

  trap print_phases EXIT             prints it at the end, also where a phase failed
EOF
  [[ ${1:-} == --help ]] && exit 0 || exit 2
fi
