# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the scripts beside this: what they share.

# The files of a result set (`assay pr --out`), and how large each may be. One flat folder; nothing
# else is ever read of an artifact.
declare -A result_limits_bytes=(
  [comment.md]=60000
  [summary.md]=900000
  [junit.xml]=10000000
  [results.sarif]=10000000
  [results.jsonl]=10000000
  [annotations.txt]=65536
)
export result_limits_bytes

# What a comment of ours begins with (harness/pr/result_set.h).
comment_mark='<!-- assay:pr -->'
export comment_mark

# fail <thing: cause> <remedy>
fail() {
  printf '%s: %s\n  %s\n' "scripts/ci/$(basename "$0")" "$1" "$2" >&2
  exit 2
}

# Text that others wrote, as one plain line for a log: no control character, and no command to the
# runner, which begins with "::" on a line of its own.
plain() { LC_ALL=C tr -d '\n' | LC_ALL=C tr -c '[:print:]' '?' | cut -c 1-200; }

# from_event <jq filter>: of the event that started this workflow. Its values are only ever data.
from_event() { jq -er "$1" "$GITHUB_EVENT_PATH"; }

# commit_from_event <jq filter>
commit_from_event() {
  local commit
  commit=$(from_event "$1") || commit=
  if [[ ! $commit =~ ^[0-9a-f]{40}([0-9a-f]{24})?$ ]]; then
    fail "the event has no commit at $1" "run this in the workflow it is made for (--help)"
  fi
  echo "$commit"
}

# in_debian <repository> <package> <folder to write> <command>...: runs it in a container of
# Debian 12, which the package is made for, with the package installed. The three options are what
# the sandbox needs of Docker (`assay doctor`): user namespaces, mounts in them, a /proc of their own.
# $ASSAY_ATTEST_KEY goes along where there is one, by its name: its text is in no command line.
in_debian() {
  local repository=$1 package=$2 out=$3 key=()
  shift 3
  [[ -z ${ASSAY_ATTEST_KEY:-} ]] || key=(--env ASSAY_ATTEST_KEY)
  docker run --rm --workdir "$repository" --env "ASSAY_CUDA=${ASSAY_CUDA:-OFF}" --env CI=true "${key[@]}" \
    --security-opt seccomp=unconfined --security-opt apparmor=unconfined \
    --security-opt systempaths=unconfined \
    --volume "$repository:$repository" --volume "$out:$out" --volume "$package:/assay.deb:ro" \
    --volume "$(realpath "$(dirname "${BASH_SOURCE[0]}")/.."):/assay_scripts:ro" \
    debian:12 bash /assay_scripts/ci/in_container /assay.deb "$@"
}

# any_has_cuda <repository> <commit> <folder>...
any_has_cuda() {
  local repository=$1 commit=$2 file
  while IFS= read -r -d '' file; do
    case "$file" in
      *.cu | *.cuh) return 0 ;;
    esac
  done < <(git -C "$repository" ls-tree -r -z --name-only "$commit" -- "${@:3}")
  return 1
}
