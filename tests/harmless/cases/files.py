"""Programs whose profile goes to a place where something is already. It is of an earlier run or of
another user."""

import glob
import os

from case import WITH_SESSIONS, Case, TakeOut

FOLDER = "libmprof/file/profile_folder.c"
# The folder that is wanted is not to be had; the next name leads to where the frame looks.
NEXT = "mkdir out profile && ln -s profile out-2 && echo precious > victim && "
SAYS = ["out holds another run's files or belongs to another user; the profile goes to .*/profile$"]


def fail(text):
    import jobs  # of run_case.py; CMake reads this file, too

    raise jobs.Failure(text)


def shell(text):
    return [["sh", "-c", text]]


def check_victim(_case, job, profile, _tools):
    with open(os.path.join(os.path.dirname(profile), "victim"), encoding="utf-8") as file:
        if file.read() != "precious\n":
            fail(f"a file of the user was written to\n{job.describe()}")


def check_summary_in_victim(_case, job, profile, _tools):
    with open(os.path.join(os.path.dirname(profile), "victim"), encoding="utf-8") as file:
        if "##mprof" not in file.read():
            fail(f"the summary is not where the link leads\n{job.describe()}")


def check_out_is(names):
    def check(case, job, profile, tools):
        check_victim(case, job, profile, tools)
        found = sorted(os.listdir(os.path.join(os.path.dirname(profile), "out")))
        if found != sorted(names):
            fail(f"in the other folder lies {found}\n{job.describe()}")
    return check


def check_live(case, job, profile, tools):
    check_victim(case, job, profile, tools)
    for planted in glob.glob(os.path.join(os.path.dirname(profile), "node", "mprof-*")):
        if sorted(os.listdir(planted)) != [f"rank-{rank}.mprof.part" for rank in range(4)]:
            fail(f"in {planted} lies {os.listdir(planted)}\n{job.describe()}")


CASES = [
    Case("planted_part", "links to a file of the user lie where the finished rank file might be "
         "written first",
         source="finalize_at_exit.c", check=check_victim,
         before=shell("mkdir profile && echo precious > victim && "
                      "ln -s ../victim profile/rank-0.mprof.part && ln -s ../victim "
                      "profile/rank-1.mprof.part"),
         take_outs=[TakeOut("names that cannot be foretold", "libmprof/file/finish.c",
                            "own_file_beside(path, beside, sizeof beside);",
                            'strcat(strcpy(beside, path), ".part");')]),
    Case("folder_of_a_run", "MPROF_OUTPUT names a folder with a file of another run",
         source="finalize_at_exit.c",
         variables={"MPROF_OUTPUT": "{folder}/out"}, says=SAYS,
         check=check_out_is(["rank-1.mprof"]), before=shell(NEXT + "echo left > out/rank-1.mprof"),
         take_outs=[TakeOut("the look at what is in the folder", FOLDER, "if (has_files)",
                            "if (has_files && identity->rank != 0)")]),
    Case("folder_of_another_user", "MPROF_OUTPUT names another user's folder (or, not as root, a "
         "taken one)",
         source="finalize_at_exit.c", variables={"MPROF_OUTPUT": "{folder}/out"}, says=SAYS,
         check=check_out_is(["old.mprof"]),
         before=shell(NEXT
                      + "echo left > out/old.mprof && chmod 777 out && (chown 65534 out || true)"),
         take_outs=[TakeOut(
             "the next name", FOLDER,
             "if (attempt > 1)\n        snprintf", "if (attempt > 999)\n        snprintf")]),
    Case("empty_folder_of_another_user", "MPROF_OUTPUT names an empty folder of another user (or, "
         "not as root, a taken one)",
         source="finalize_at_exit.c", variables={"MPROF_OUTPUT": "{folder}/out"}, says=SAYS,
         before=shell(NEXT
                      + "chmod 777 out && (chown 65534 out || echo left > out/rank-0.mprof)"),
         check=check_victim,
         take_outs=[TakeOut("the owner of a folder",
                            "libmprof/base/own_file.c", "if (fstat(folder, &facts) == 0 &&",
                            "if (fstat(folder, &facts) == 0 || ")]),
    Case("session_folder", "a program with sessions alone, and MPROF_OUTPUT names another user's "
         "folder",
         source="session_only.c", builds=WITH_SESSIONS,
         variables={"MPROF_OUTPUT": "{folder}/out"}, says=SAYS,
         before=shell(NEXT
                      + "chmod 777 out && (chown 65534 out || echo left > out/rank-0.mprof)"),
         check=check_victim, take_outs=[TakeOut("passing over a folder that is not ours", FOLDER,
                            "if (!usable || find_file(identity->folder",
                            "if (find_file(identity->folder")]),
    Case("session_folder_of_a_run", "a program with sessions alone, and MPROF_OUTPUT names a "
         "folder with a file of another run",
         source="session_only.c", builds=WITH_SESSIONS,
         variables={"MPROF_OUTPUT": "{folder}/out"}, says=SAYS,
         before=shell(NEXT + "echo left > out/rank-1.mprof"), check=check_out_is(["rank-1.mprof"]),
         take_outs=[TakeOut("the look for files of other runs", FOLDER,
                            "return state == HEADER_UNKNOWN;", "return state == HEADER_KNOWN;")]),
    Case("session_live_folder", "with sessions the live record's folder can be foretold, and "
         "another user has made it",
         source="session_only.c", builds=WITH_SESSIONS,
         variables={"MPROF_LIVE": "{folder}/node"}, check=check_live,
         before=shell("mkdir node && echo precious > victim"),
         inside=["python3", "{programs}/plant_live.py", "{folder}/node", "{folder}/victim"],
         take_outs=[TakeOut("the owner of the live folder",
                            "libmprof/file/live_file.c", "else if (own_folder_make(live.folder))",
                            "else if (own_folder_make(live.folder) || true)")]),
    Case("summary_link_of_another_user", "MPROF_SUMMARY names another user's link (or, not as "
         "root, one to itself)",
         source="finalize_at_exit.c", variables={"MPROF_SUMMARY": "{folder}/summary"},
         says=["cannot write the summary to .*/summary: "], check=check_victim,
         before=shell("echo precious > victim && ln -s victim summary && (chown -h 65534 summary "
                      "|| ln -sfn summary summary)"),
         take_outs=[TakeOut(
             "whose link it is",
             "libmprof/finalize/summary.c", "if (facts.st_uid == geteuid() || facts.st_uid == 0)",
                            "if (geteuid() + 1 != 0)")]),
    Case("summary_link", "MPROF_SUMMARY names a link of this user, which is followed",
         source="finalize_at_exit.c",
         variables={"MPROF_SUMMARY": "{folder}/summary"}, check=check_summary_in_victim,
         before=shell("echo precious > victim && ln -s victim summary"),
         take_outs=[TakeOut("following links of this user",
                            "libmprof/finalize/summary.c",
                            "        return open(path, flags, 0666);", "        return -1;")]),
]
