# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a run found: results.json for scripts, docs/evidence/acceptance.md for people."""
import collections
import json
import os
import re

import pins

SCHEMA = "kpack.acceptance/1"
# In the order in which people want to know. Of what is not listed here there is none.
STATES = ["passed", "failed", "crash", "fault", "hang", "unsupported", "defect", "slow",
          "skipped"]


def states(chosen, journals):
    """How many of the chosen tests ended how."""
    counts = collections.Counter()
    for program, tests in chosen.items():
        known = journals.outcomes(program)
        counts.update(known[test].state for test in tests if test in known)
        counts.update(outcome.state for test, outcome in known.items() if test == "(exit)")
    return counts


def of_program(listed, chosen, outcomes):
    counts = collections.Counter(outcome.state for outcome in outcomes.values())
    found = {"listed": len(listed), "chosen": len(chosen)}
    found.update((state, counts[state]) for state in STATES if counts[state])
    found["not reached"] = len(set(chosen) - set(outcomes))
    return found


def of_stack(stack, journals, broken, limit):
    """limit: seconds for each test; None: each suite's own."""
    suites = {}
    for program in sorted(stack.programs):
        journal = journals.of(program)
        suite = suites.setdefault(program.split("/")[0],
                                  {"programs": {}, "findings": [], **journal.identity,
                                   "limit": limit or stack.suites[program.split("/")[0]].limit})
        outcomes = journals.outcomes(program)
        found = of_program(stack.listed.get(program, []), stack.chosen.get(program, []), outcomes)
        found["cpu seconds"] = round(journal.cpu_seconds.get(program, 0), 1)
        suite["programs"][program.split("/", 1)[1]] = found
        if program in broken:
            suite["findings"].append({"program": program, "test": "", "state": "failed",
                                      "why": broken[program]})
        suite["findings"] += [
            {"program": program, "test": outcome.test, "state": outcome.state, "why": outcome.why}
            for outcome in outcomes.values() if outcome.state not in ("passed", "skipped", "slow")]
    for suite in suites.values():
        total = collections.Counter()
        for found in suite["programs"].values():
            total.update(found)
        total["cpu seconds"] = round(total["cpu seconds"])
        suite["total"] = dict(total)
    return {"release": stack.release, "gpu": stack.gpu, "suites": suites}


def load(path):
    try:
        with open(path) as file:
            results = json.load(file)
        return results["stacks"] if results.get("schema") == SCHEMA else {}
    except (OSError, ValueError, KeyError):
        return {}


def save(path, stacks):
    with open(path + ".new", "w") as file:
        json.dump({"schema": SCHEMA, "stacks": stacks}, file, indent=1, sort_keys=True)
        file.write("\n")
    os.replace(path + ".new", path)


def choose_pins(stack, journals, name, limit, old):
    """{program: tests} of a suite. old: its pins so far; of these, tests that were not run
    stay as long as there are too few."""
    programs = [program for program in stack.listed if program.split("/")[0] == name]
    number = stack.to_pin(name)
    seconds = {program: {test: outcome.seconds for test, outcome in
                         journals.outcomes(program).items()
                         if outcome.state == "passed" and outcome.seconds <= limit
                         and not stack.is_known(program, test)}
               for program in programs}
    chosen = pins.cheapest(seconds, number, stack.first(programs[0]))
    print("%s: %s: %d tests pinned, of %d that passed; %d s of processor time" % (
        stack.name, name, sum(map(len, chosen.values())), sum(map(len, seconds.values())),
        sum(seconds[program][test] for program, tests in chosen.items() for test in tests)))
    if sum(map(len, chosen.values())) < number:
        for program in set(old) & set(programs):
            known = journals.outcomes(program)
            kept = [test for test in pins.select(old[program], stack.listed[program])[0]
                    if test not in known]
            if kept:
                chosen.setdefault(program, set()).update(kept)
    return chosen


def write_pins(stack, journals, path, limit):
    programs = pins.read(path) if os.path.exists(path) else {}
    for name in stack.suites:
        chosen = choose_pins(stack, journals, name, limit, programs)
        if not chosen:
            continue
        programs = {program: lines for program, lines in programs.items()
                    if program.split("/")[0] != name}
        programs.update((program, pins.shorten(stack.listed[program], tests))
                        for program, tests in chosen.items())
    os.makedirs(os.path.dirname(path), exist_ok=True)
    pins.write(path, programs, ["ROCm %s on %s: tests that must pass; written by scripts/accept --pin."
                                % (stack.release, stack.gpu)])


HEAD = """# ROCm's own tests on the emulated GPU

*State: results up to {date}.*

`scripts/accept` runs the test programs of ROCm's libraries on the emulated GPU, as Debian packages them.
`scripts/accept --page` writes this page from the results. The programs are Debian's binaries, unchanged. The suite
*own* is the exception: tests of HIP and the examples of this tree, compiled once and run on every release and GPU.
For a GPU that a release does not know, its one test expects the refusal.

| column | tests |
|---|---|
| listed | in the test program |
| chosen | that the harness runs, as below |
| passed | that GoogleTest reports as passed, and during which no kernel was stopped |
| failed | with a wrong result; the reason is below where the code is right |
| crash, fault, hang | ended by a signal, by a stopped kernel, or without progress |
| unsupported | that need an instruction or a driver request that is not emulated; it is named below |
| defect | that would or may fail on a GPU too, for the reason below: a miscompiled code object, a read of memory that was never written, a race, or an expected value from other arithmetic |
| slow | stopped after {limits} of processor time |
| skipped | that report themselves as not applicable |
| not reached | left when the time for the release and GPU was over |

Of rocSPARSE, rocBLAS and hipSPARSELt the harness chooses the quick tests of some functions and sizes of each kind; of
rocFFT a few lengths; of RCCL the out-of-place collectives and the tests of its host part. rocThrust runs with
`--sizes=medium`: up to 4,096 elements. RCCL runs between two GPUs, with `UT_DATATYPES=ncclFloat32` and
`UT_MIN_GPUS=2`. A suite without a row was not run on that release and GPU. hipSPARSELt has code for gfx942 only. ROCm
7.2 is Debian experimental, laid over unstable. Kernels run with `--out-of-bounds=hardware`. The tests that must pass
are in `acceptance/pinned`; `scripts/accept --pinned` runs only these.

"""


def write_page(stacks, path, date):
    stacks = {name: stack for name, stack in stacks.items() if not stack.get("converted")}
    limits = sorted({suite["limit"] for stack in stacks.values()
                     for suite in stack["suites"].values()})
    columns = ["listed", "chosen"] + STATES + ["not reached", "cpu seconds"]
    with open(path, "w") as out:
        out.write(HEAD.format(date=date, limits=" or ".join("%g s" % limit for limit in limits)))
        out.write("| ROCm | GPU | suite | %s |\n" % " | ".join(columns))
        out.write("|---|---|---|%s\n" % ("---|" * len(columns)))
        for name in sorted(stacks):
            stack = stacks[name]
            for suite in sorted(stack["suites"]):
                total = stack["suites"][suite]["total"]
                out.write("| %s | %s | %s | %s |\n" % (stack["release"], stack["gpu"], suite, " | ".join(
                    str(total.get(column, 0)) for column in columns)))
        out.write("\n## What did not pass\n\n")
        write_findings(stacks, out)
        out.write("\n## Packages\n\n| ROCm | package | version |\n|---|---|---|\n")
        have = {(stack["release"], *item) for stack in stacks.values()
                for suite in stack["suites"].values() for item in suite["packages"].items()}
        for row in sorted(have):
            out.write("| %s | %s | %s |\n" % row)


def write_findings(stacks, out):
    """One line for each program and reason: many tests fail alike."""
    groups = collections.Counter()
    for name in sorted(stacks):
        for suite in stacks[name]["suites"].values():
            for finding in suite["findings"]:
                why = finding["why"] if finding["state"] == "defect" else reason(finding["why"])
                groups[(finding["program"], finding["state"], why)] += 1
    if not groups:
        out.write("Nothing.\n")
        return
    out.write("| program | state | why | tests |\n|---|---|---|---|\n")
    for (program, state, why), count in sorted(groups.items()):
        out.write("| %s | %s | %s | %d |\n" % (program, state, why.replace("|", "\\|"), count))


def reason(why):
    """Without what differs from test to test: addresses, numbers, names of kernels; and
    without folders of this machine."""
    instruction = re.search(r"'(\w+)", why) if "semantics" in why else None
    if instruction:
        return "`%s` is not emulated" % instruction.group(1)
    why = re.sub(r"^kpack-run: error: .*\): ", "", why)  # a kernel
    request = re.search(r"request 0x\w+ to \S+", why)
    if request:
        return request.group(0).rstrip(",") + " is not emulated"
    why = re.sub(r"(?<![^\s(])/\S*/", "", why)
    return re.sub(r"0x[0-9a-f]+|\b\d+\b", "N", why)[:100]
