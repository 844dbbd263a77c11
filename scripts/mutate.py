#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plants bugs by machine in a challenge's baseline and counts those that its suite does not find.

Theory of operation. clang's AST of baseline.cc (or baseline.cu) says where in the reference's own
headers an operator, a constant, a statement, an argument, a type or an atomic operation stands. Each
of them, with one way to get it wrong, is a mutant (mutate_places.py). A sample of them is drawn; each
changes one place in a copy of the reference's folder, is compiled with the baseline's own command and
linked in its place (mutate_judge.py). One that does not compile is none; one whose object code is the
baseline's is equivalent and is none either. The others run the suite: a mutant that fails a case which
the baseline does not fail, gating or not, is killed (what is optional has no case that gates); one that
fails none, under another seed neither, lives. Cases that killed many before it are tried first.

A mutant that lives needs a case, or a reason why it cannot change an answer that the contract fixes:
reference/<challenge>/mutants/by_machine.txt lists those that have one. A file that the suite runs only
beside a submission stands there as `file | * | * -> * | reason`, and no bug is drawn from it.

--by-model draws none: it takes the bugs of mutants/by_model.json, which a language model wrote that had
read the contract and the baseline and not the suite. One that lives has its reason there (lives_because).

Those for which homes_by_machine.txt says in which criteria they may rightly cost are what a diagnosis is
tested by (reference/by_machine_test.cc): --labelled runs them, and keeps what each fails.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import random
import sys

from mutate_judge import PASSES, ROOT, Baseline, Failure, Judge


def described(mutant, folder):
    text = (folder / mutant["file"]).read_bytes()
    line = text.count(b"\n", 0, mutant["begin"]) + 1
    old = " ".join(text[mutant["begin"]:mutant["end"]].decode().split())
    new = " ".join(mutant["to"].split())
    return line, old, new, passage([each.strip() for each in text.decode().splitlines()], line - 1)


def told(mutant, folder):
    """Where a mutant is, and what it changes or is called, for a reader."""
    line, old, new, _ = described(mutant, folder)
    return f"{mutant['file']}:{line}", mutant.get("name", f"{old} -> {new}")


def passage(lines, at):
    """Line `at`, behind as many of those before it as tell it from others that read the same."""
    first = at
    while first > 0 and sum(lines[i - at + first:i + 1] == lines[first:at + 1]
                            for i in range(at - first, len(lines))) > 1:
        first -= 1
    return " ".join(lines[first:at + 1])


def about(mutant, folder):
    """How lists name a mutant, no two alike: what stood where, and stands there now."""
    _, old, new, whole = described(mutant, folder)
    text = (folder / mutant["file"]).read_bytes()
    before = text[text.rfind(b"\n", 0, mutant["begin"]) + 1:mutant["begin"]]
    earlier = before.count(text[mutant["begin"]:mutant["end"]])
    return f"{mutant['file']} | {whole} | {old}{f' ({earlier + 1})' if earlier else ''} -> {new}"


def lines_of(path):
    """Lines `file | text of the line | old -> new | about it`; the code may have a bar itself."""
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        if line and not line.startswith("#"):
            if line.count(" | ") < 3:
                raise Failure(f"{path.relative_to(ROOT)}:{number}: not `file | line | old -> new | about it`")
            yield line


def labelled_in(folder):
    """What mutants/homes_by_machine.txt names."""
    return {line.rpartition(" | ")[0] for line in lines_of(folder / "mutants" / "homes_by_machine.txt")}


def bugs_by_model(folder):
    """What mutants/by_model.json has, by name."""
    path = folder / "mutants" / "by_model.json"
    return {bug["name"]: bug for bug in (json.loads(path.read_text()) if path.exists() else [])}


def written_in(folder, half):
    """The bugs of that half in mutants/by_model.json, as mutants."""
    mutants = []
    for bug in bugs_by_model(folder).values():
        if bug["half"] == half:
            text, old = (folder / bug["file"]).read_bytes(), bug["old"].encode()
            if text.count(old) != 1:
                raise Failure(f"{folder.relative_to(ROOT)}/mutants/by_model.json: {bug['name']}: what it changes "
                              f"stands {text.count(old)} times in {bug['file']}; write it anew for the baseline "
                              "as it is")
            begin = text.find(old)
            mutants.append({"file": bug["file"], "begin": begin, "end": begin + len(old), "to": bug["new"],
                            "operator": "by model", "name": bug["name"]})
    return mutants


def files_left_out(folder):
    """Whole files that mutants/by_machine.txt names."""
    named = (line.split(" | ")[:3] for line in lines_of(folder / "mutants" / "by_machine.txt"))
    return {file for file, passage_of, change in named if (passage_of, change) == ("*", "* -> *")}


def tell(results, folder):
    reasons = list(lines_of(folder / "mutants" / "by_machine.txt"))
    by_model = bugs_by_model(folder)

    def has_reason(mutant):
        if "name" in mutant:
            return "lives_because" in by_model[mutant["name"]]
        return any(reason.startswith(about(mutant, folder) + " | ") for reason in reasons)

    lived, explained = [], 0
    for mutant in results:
        if mutant["end_state"] == "lives":
            place, what = told(mutant, folder)
            if has_reason(mutant):
                explained += 1
            elif "name" in mutant:
                lived.append(f"{place}: {what}")
            else:
                lived.append(f"{place}: {mutant['operator']}: {what}\n    {about(mutant, folder)}")
    print("| operator | drawn | do not compile | same code | killed | live |\n|---|---|---|---|---|---|")
    operators = sorted({mutant["operator"] for mutant in results}) + ["all"]
    for operator in operators:
        ends = [mutant["end_state"] for mutant in results if operator in ("all", mutant["operator"])]
        counts = [ends.count(end) for end in ("does not compile", "same code", "killed", "lives")]
        print(f"| {operator} | {len(ends)} | " + " | ".join(map(str, counts)) + " |")
    judged = sum(mutant["end_state"] in ("killed", "lives") for mutant in results)
    print(f"\n{judged} changed the code; {len(lived)} live without a reason, {explained} with one.")
    for each in lived:
        print(each)
    return len(lived)


def failures_of(cases):
    """[verdict, operation, output, error over bound, [case, …]] of the gating cases that failed."""
    alike = {}
    for name, case in sorted(cases.items()):
        if case["gates"]:
            error = case["error_over_bound"]
            size = f"{float(error):.1e}" if error is not None else None
            key = (case["verdict"], case["failing_operation"], case["failing_output"], size)
            alike.setdefault(key, []).append(name)
    return [[*key, names] for key, names in alike.items()]


def write_failures(results, case_names, folder):
    """Which cases there were, and what the killed ones failed, whose suites ran to their end: one
    line each."""
    whole = [mutant for mutant in results if any(case["gates"] and case["verdict"] not in PASSES
                                                for case in mutant.get("cases", {}).values())]
    lines = [json.dumps({"mutant": about(mutant, folder), "failures": failures_of(mutant["cases"])},
                        separators=(",", ":")) for mutant in whole]
    path = folder / "mutants" / "by_machine.json"
    path.write_text(f'{{"cases": {json.dumps(case_names, separators=(",", ":"))},\n"killed": [\n'
                    + ",\n".join(lines) + "\n]}\n")
    print(f"wrote {path.relative_to(ROOT)}", file=sys.stderr)


def arguments_of():
    parser = argparse.ArgumentParser(
        prog="scripts/mutate", formatter_class=argparse.RawDescriptionHelpFormatter,
        description=__doc__,
        epilog="""Results are kept in .assay/mutate/, by what the mutant, the baseline and the suite are, so that a
run that was cut off goes on. Exit status: 0 when none lives without a reason, 1 when some does, 2 for
usage, 3 when the baseline itself does not compile or link.

scripts/mutate sets up and builds what it needs; mutate.py by itself takes the build that is there.""")
    parser.add_argument("challenge", metavar="CHALLENGE")
    parser.add_argument("--half", choices=("cpu", "cuda"), default="cpu", help="of the baseline (cpu)")
    parser.add_argument("--count", type=int, default=60, help="how many to draw (60); 0: all")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)),
                        help="judged at once (one a processor)")
    not_drawn = parser.add_mutually_exclusive_group()
    not_drawn.add_argument("--labelled", action="store_true",
                           help="draw none: take those of mutants/homes_by_machine.txt, run the suite to its\n"
                                "end, and write what failed to mutants/by_machine.json")
    not_drawn.add_argument("--by-model", action="store_true",
                           help="draw none: take those of mutants/by_model.json")
    parser.add_argument("--level", default="full", help="of the sandbox (full)")
    parser.add_argument("--list", action="store_true", help="print the drawn ones, and run none")
    return parser.parse_args()


def chosen(options, baseline):
    """The mutants to judge, and of how many they are."""
    if options.by_model:
        mutants = written_in(baseline.folder, options.half)
        return mutants, len(mutants)
    left_out = files_left_out(baseline.folder)
    mutants = [mutant for mutant in baseline.mutants() if mutant["file"] not in left_out]
    total = len(mutants)
    if options.labelled:
        labelled = labelled_in(baseline.folder)
        mutants = [mutant for mutant in mutants if about(mutant, baseline.folder) in labelled]
    elif options.count > 0:
        # A longer run goes on where a shorter one ended.
        random.Random(options.seed).shuffle(mutants)
        mutants = mutants[:options.count]
    return mutants, total


def main():
    options = arguments_of()
    build = ROOT / "build" / os.environ.get("PRESET", "release")
    baseline = Baseline(options.challenge, options.half, build)
    mutants, total = chosen(options, baseline)
    if options.list:
        for mutant in mutants:
            place, what = told(mutant, baseline.folder)
            print(f"{place}: {mutant['operator']}: {what}")
        return 0
    print(f"{options.challenge}, {options.half}: {len(mutants)} of {total} mutants", file=sys.stderr)

    suite = build / "reference" / options.challenge / "suite"
    # All that a mutant may be in: a place is an offset in one of these.
    sources = b"".join(path.read_bytes() for path in sorted(baseline.folder.glob("*"))
                       if path.suffix in (".h", ".cuh", ".cc", ".cu"))
    of_all = hashlib.sha256(sources + suite.read_bytes()).hexdigest()
    kept_path = ROOT / ".assay" / "mutate" / f"{options.challenge}-{options.half}.json"
    kept = json.loads(kept_path.read_text()) if kept_path.exists() else {}
    if kept.get("of") != of_all or "case_names" not in kept:
        kept = {"of": of_all, "case_names": [], "results": {}}
    kept_path.parent.mkdir(parents=True, exist_ok=True)

    def key(mutant):
        return json.dumps(mutant, sort_keys=True)

    def is_known(mutant):
        result = kept["results"].get(key(mutant))
        lacks_cases = options.labelled and result and result["end_state"] == "killed" and "cases" not in result
        return result is not None and not lacks_cases

    results = [kept["results"][key(mutant)] for mutant in mutants if is_known(mutant)]
    waiting = [mutant for mutant in mutants if not is_known(mutant)]
    if waiting:
        judge = Judge(baseline, seeds=(1, 2), jobs=max(options.jobs, 1), level=options.level,
                      to_the_end=options.labelled)
        kept["case_names"] = judge.case_names
        try:
            with concurrent.futures.ThreadPoolExecutor(len(judge.free)) as pool:
                for mutant, result in zip(waiting, pool.map(judge.judge, waiting)):
                    results.append(result)
                    kept["results"][key(mutant)] = result
                    written = kept_path.with_suffix(".new")
                    written.write_text(json.dumps(kept))
                    written.replace(kept_path)
                    place, what = told(mutant, baseline.folder)
                    by = f" by {result['by']}" if "by" in result else ""
                    print(f"[{len(results)}/{len(mutants)}] {place}: {what}: {result['end_state']}{by}",
                          file=sys.stderr, flush=True)
        finally:
            judge.close()
    if options.labelled:
        write_failures(results, kept["case_names"], baseline.folder)
    return 1 if tell(results, baseline.folder) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"scripts/mutate: {failure}", file=sys.stderr)
        sys.exit(failure.status)
