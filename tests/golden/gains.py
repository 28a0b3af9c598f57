#!/usr/bin/env python3
"""No gain in a report promises more than the account that it is about: gains.py REPORT.json ...

The gain of the verdict is that of an account, or of two that hide each other. Steps of one account
share it. What the accounts save in order adds up to at most the run without start-up. What a step
that has no account saves nobody can tell, but for programs that do not keep pace.
"""

import json
import sys

SLACK = 1e-6
NOT_OF_ACCOUNTS = {"coupling bound", "start-up bound"}  # an estimate, and a line of its own


def problems(report):
    left = {row["name"]: row["gain_s"] for row in report["accounts"]}
    order = report["accounting"]["order"]
    gains = list(left.values()) + [step["saves_s"] for step in order]
    verdict = report["verdict"]
    gain_s = verdict["gain_s"]
    if gain_s is not None and verdict["class"] not in NOT_OF_ACCOUNTS:
        if all(abs(gain_s - each) > SLACK for each in gains):
            yield f"the gain of {gain_s} s is none of {gains}"
    if sum(step["saves_s"] for step in order) > report["accounting"]["span_s"] + SLACK:
        yield "the accounts add up to more than the run"
    for step in verdict["next"]:
        if step["worth_s"] is None or verdict["class"] == "coupling bound":
            continue
        if step["account"] is None:
            yield f"no account: {step['action']}"
            continue
        left[step["account"]] -= step["worth_s"]
        if left[step["account"]] < -SLACK:
            yield f"more than is left of {step['account']}: {step['action']}"


def main(paths):
    failed = False
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for problem in problems(json.load(file)):
                print(f"{path}: {problem}")
                failed = True
    return failed or not paths


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
