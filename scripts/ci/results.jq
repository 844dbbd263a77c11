# SPDX-License-Identifier: Apache-2.0
# What `results.jsonl` is, read as hostile: with --slurp, an array of cells. True, or an error that
# names the cell by its number alone.
def id: type == "string" and length <= 100 and test("\\A[a-z0-9][a-z0-9._-]*\\z");
def text($most): type == "string" and length <= $most;
def verdict: . == null or (type == "string" and IN("accepted", "wrong_answer", "compile_error",
  "runtime_error", "time_limit", "memory_limit", "output_limit", "rejected", "judge_error", "skipped"));
def score: . == null or (type == "number" and . >= 0 and . <= 100);
def commit: type == "string" and test("\\A[0-9a-f]{40}([0-9a-f]{24})?\\z");
def cell($head):
  if type != "object" then "is no object"
  elif .schema != 1 then "is of another schema"
  elif (.model | id | not) or (.challenge | id | not) then "has a name that is no id"
  elif (.head_commit | commit | not) or .head_commit != $head then "is of another commit"
  elif .judge != "base" then "was graded by the change itself"
  elif (.verdict | verdict | not) or (.verdict_before | verdict | not) then "has no verdict"
  elif (.score | score | not) or (.score_before | score | not) then "has no score from 0 to 100"
  elif (.gate_failure | text(10000) | not) then "does not say whether its gate holds"
  else empty end;
if length > 10000 then error("has more than 10,000 cells")
else (to_entries | map({key: .key, why: (.value | cell($head))}) | first) as $fault
  | if $fault then error("cell \($fault.key + 1) \($fault.why)") else true end
end
