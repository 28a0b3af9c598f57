"""What a report says of a program of the zoo, beside what its head line says (score.py).

right: kind, rank and place; half: the kind, but not rank or place; wrong: another kind. loud: a
step of high confidence that promises more than 1.5 times what mending gained plus 5 % of the
run.
"""

import re

# How the first sentence begins.
WORDS = {"uneven": "LOAD-IMBALANCE|COUPLING", "blocked": "BLOCKED", "kernel": "KERNEL",
         "files": "I/O BOUND|BLOCKED.* reading and writing files",
         "in_turn": "SYNCHRONISATION|IN TURN", "latency": "LATENCY",
         "bandwidth": "BANDWIDTH", "threads": "SERIAL PART|THREAD", "start-up": "START-UP",
         "pickling": "PICKLING", "blocked+uneven": "BLOCKED|LOAD-IMBALANCE|HID",
         "ended": "ABORTED|EXITED|DIED", "healthy": "COMPUTE BOUND|HEALTHY"}
CROWDED_TOO = "KEPT OFF THE CPU|FEW CPUS|OTHER PROGRAM"  # of a healthy one, where it is true
ACCOUNTS = {"in_turn": "in turn", "start-up": "start-up"}  # names of accounts, if not the kind
# Of particular causes, by the word in the head line: what the first screen calls them. A program
# with another word, or with none, must not be called so.
PARTICULAR = {"master": "is a master", "uneven_sizes": "times as much data", "no_overlap":
              "wait comes right after", "pipeline": "one item at a time",
              "rare_steps": "steps take", "held_lock": "holds the lock",
              "absent_owner": "answers only in MPI calls"}
AROUND = ("other program", "few CPUs", "few cpus")
SENTENCES = ("VERDICT", "but", "why", "gain", "next")


def sentences(brief):
    """{key: text} of the first screen, its lines joined."""
    said, key = {}, None
    for line in brief.splitlines():
        found = re.match(r"# (\S[^:]*?) *: (.*)", line)
        if found:
            key = found[1]
            said[key] = found[2]
        elif line.startswith("#             ") and key:
            said[key] += " " + line[14:].strip()
        else:
            key = None
    return {key: said.get(key, "") for key in SENTENCES}


def judge(program, ranks, crowded, brief):
    """(mark, what is missing)"""
    said = sentences(brief)
    words = WORDS[program.kind]
    if program.kind == "healthy" and crowded:
        words += "|" + CROWDED_TOO
    text = " ".join(said.values())
    wrongly = [word for word, call in PARTICULAR.items()
               if call in said["VERDICT"] and word not in program.words]
    if wrongly or not re.match(words, said["VERDICT"]):
        return "wrong", " ".join(wrongly) or "kind"
    missing = [word for word, call in PARTICULAR.items()
               if word in program.words and call not in text]
    guilty = program.guilty(ranks)
    named = re.search(r"\b[Rr]anks? (\d+)", said["VERDICT"] + " " + said["but"] + " " + said["why"])
    if guilty and not (named and int(named[1]) in guilty):
        missing.append("rank")
    places = program.places()
    if places and not any(re.search(rf"\b{re.escape(place)}\b", text) for place in places):
        missing.append("place")
    return ("half" if missing else "right"), " ".join(missing)


def class_named(text):
    """The capital words with which a sentence begins; "": none."""
    found = re.match(r"([A-Z/]+(?:[ -][A-Z/]+)*)\b", text)
    return found[1] if found and len(found[1]) > 3 else ""


def summary_differs(summary, verdict):
    """The summary at MPI_Finalize names the report's class, or none. -> what it says instead"""
    said = re.search(r"# VERDICT +: (.*)", summary)
    named = class_named(said[1]) if said else ""
    return named if named and named != class_named(verdict) else ""


def length(report, kind):
    """Of a run: without start-up, unless that is judged: then with what all ranks compute before
    MPI_Init, too."""
    if kind == "start-up":
        before_s = min(row.get("before_cpu_s") or 0.0 for row in report["ranks"])
        return report["run"]["wallclock_s"] + before_s
    return max(row["wallclock_s"] - (row["startup_s"] or 0.0) for row in report["ranks"])


def promised(report, kind, words=()):
    """(gain, high) of the account of this kind, or of the particular cause that is a part of it;
    None: there is none."""
    accounts = report.get("accounts")
    if accounts and any(word in PARTICULAR for word in words):
        return next(((row["cause_gain_s"],) * 2 for row in accounts if row.get("cause")), None)
    # Of start-up the account is all of it; the sentence says what of it need not be: if it is
    # divided evenly, and at least what the late rank costs if it need not be done.
    is_start_up = kind == "start-up" and report["verdict"]["class"] == "start-up bound"
    if accounts is None or is_start_up:
        gain = report["verdict"].get("gain_s")
        late = [row["gain_low_s"] for row in accounts or [] if row["name"] == "start-up"]
        return None if gain is None else (gain, max([gain] + late))
    names = [ACCOUNTS.get(part, part) for part in kind.split("+")]
    if "+" in kind:  # they hide each other: alone each gains nothing
        order = report["accounting"]["order"]
        saves = [row["saves_s"] for row in order if all(name in row["accounts"] for name in names)]
        if not saves and all(any(row["accounts"] == name for row in order) for name in names):
            saves = [sum(row["saves_s"] for row in order if row["accounts"] in names)]
        return (saves[0], saves[0]) if saves else None
    rows = [row for row in accounts if row["name"] in names]
    if not rows:
        return None
    gain = sum(row["gain_s"] or 0.0 for row in rows)
    return gain, max(gain, sum(row.get("gain_high_s") or 0.0 for row in rows))


def loud_steps(report, gained, span):
    limit = 1.5 * max(0.0, gained) + 0.05 * span
    loud = []
    for step in report["verdict"]["next"]:
        if step.get("account") in AROUND:
            continue  # the twin mends nothing of it
        worth = step.get("gain_s", step.get("worth_s"))
        if step["confidence"] == "high" and worth and worth > limit:
            loud.append(f"{worth:.2f} s: {step['action']}")
    return loud


def gain_holds(gain, gained, noise):
    """Within a factor of 1.5, or the noise."""
    return abs(gain - gained) <= noise or (gained > 0 and gained / 1.5 <= gain <= 1.5 * gained)
