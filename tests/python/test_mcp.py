#!/usr/bin/env python3
"""mprof mcp, asked by the client of the protocol's own SDK: its tools, the size of its answers,
what it refuses, and the session of share/doc/howto/mcp.md. Needs the package mcp."""
import asyncio
import os
import re
import shutil
import subprocess
import sys
import unittest

import samples

samples.need("mcp")

from mcp import Client, StdioServerParameters  # noqa: E402
from mcp.client.stdio import stdio_client  # noqa: E402
from mpiprof.answers import MOST_BYTES, limited  # noqa: E402

TOOLS = {"list", "summary", "why", "place", "compare"}
ERROR = re.compile(r"^Error executing tool \w+: ")


class Server(unittest.TestCase):
    def setUp(self):
        top = samples.work_folder(f"mcp {self._testMethodName}")
        self.folder, self.outside = top / "runs", top / "outside"
        for folder in (self.folder, self.outside):
            folder.mkdir()
            shutil.copytree(samples.FINISHED, folder / "heat.mprof")
        shutil.copytree(samples.PHASES, self.folder / "app.mprof")

    def served(self, work, *before):
        """What `work` gets from a client of a new server, which `before` may start."""
        command = [*before, samples.MPROF, "mcp", str(self.folder)]
        server = StdioServerParameters(
            command=command[0], args=command[1:],
            env={"MPIPROF_PYTHON": sys.executable, "MPROF_CACHE": "off",
                 "PATH": os.environ["PATH"]})

        async def serve():
            async with Client(stdio_client(server)) as client:
                return await work(client)
        return asyncio.run(serve())

    def asked(self, *questions, before=()):
        """The text of each answer, and whether it is an error."""
        async def ask(client):
            return [await client.call_tool(tool, given) for tool, given in questions]
        answers = self.served(ask, *before)
        texts = [ERROR.sub("", answer.content[0].text) for answer in answers]
        self.assertLessEqual(max(len(text.encode()) for text in texts), 2048)
        return [(text, bool(answer.is_error)) for text, answer in zip(texts, answers)]

    def refused(self, words, *questions):
        for question, (text, is_error) in zip(questions, self.asked(*questions)):
            self.assertTrue(is_error, question)
            self.assertRegex(text, words)

    def test_the_tools(self):
        tools = self.served(lambda client: client.list_tools()).tools
        self.assertEqual({tool.name for tool in tools}, TOOLS)
        self.assertTrue(all(tool.annotations.read_only_hint for tool in tools))

    def test_the_summary_is_the_digest(self):
        done = subprocess.run([samples.MPROF, "report", "heat.mprof", "--digest", "--sysroot",
                               "/dev/null"],
                              cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(self.asked(("summary", {"profile": "heat.mprof"})),
                         [(done.stdout.rstrip(), False)])

    def test_an_incomplete_run_is_said_to_be_one(self):
        shutil.copytree(samples.KILLED, self.folder / "killed.mprof")
        asked = {"profile": "killed.mprof"}
        for text, is_error in self.asked(("summary", asked), ("why", asked)):
            self.assertFalse(is_error)
            self.assertIn("incomplete: 1 of 4 ranks", text)

    def test_a_comparison_names_what_changed(self):
        (text, is_error), = self.asked(("compare", {"before": "heat.mprof", "after": "app.mprof"}))
        self.assertFalse(is_error)
        self.assertIn("No change: B takes 2.00 s, A 2.00 s", text)
        # Of 4 ranks in 1000 calls: three 0.9 s and one 0.1 s.
        self.assertIn("- MPI_Allreduce at heat+0x1620: 700 ms -> 0 s", text)

    def test_paths_out_of_the_folder_are_refused(self):
        paths = [str(self.outside / "heat.mprof"), str(self.folder / "heat.mprof"), "..", "",
                 "../outside/heat.mprof", "app.mprof/../../outside/heat.mprof"]
        both = {"before": "heat.mprof", "after": f"app.mprof,{self.outside}/heat.mprof"}
        self.refused("is refused: a path starts below",
                     *(("summary", {"profile": path}) for path in paths),
                     ("compare", both), ("list", {"folder": ".."}))

    def test_links_out_of_the_folder_are_refused(self):
        (self.folder / "link.mprof").symlink_to(self.outside / "heat.mprof")
        (self.folder / "up").symlink_to("../outside")
        (self.folder / "inside.mprof").symlink_to("heat.mprof")
        made = self.folder / "made.mprof"
        made.mkdir()
        for name in os.listdir(self.outside / "heat.mprof"):
            (made / name).symlink_to(self.outside / "heat.mprof" / name)
        self.refused("is a link that leaves", ("summary", {"profile": "link.mprof"}),
                     ("why", {"profile": "up/heat.mprof"}), ("place", {"profile": "made.mprof"}),
                     ("list", {"folder": "up"}))
        (_, is_error), (text, _) = self.asked(("summary", {"profile": "inside.mprof"}),
                                              ("list", {}))
        self.assertFalse(is_error)
        self.assertEqual(re.findall(r"\S+[.]mprof$", text, re.M), ["app.mprof", "heat.mprof"])
        self.assertIn("1 more are links out of this folder", text)

    def test_programs_that_a_profile_names_are_not_opened(self):
        log, strace = self.outside / "log", shutil.which("strace")
        if not strace:
            self.skipTest("no strace")
        self.asked(("place", {"profile": "heat.mprof"}),
                   before=(strace, "-f", "-e", "trace=openat,open", "-o", str(log)))
        self.assertIn("rank-0.mprof", log.read_text())
        self.assertIn('"/dev/null/nonexistent/bin/heat"', log.read_text())
        self.assertNotIn('"/nonexistent/bin/heat', log.read_text())

    def test_what_is_wrong_is_said(self):
        self.refused("^'nothing.mprof' does not exist$", ("why", {"profile": "nothing.mprof"}))
        self.refused("foo is no date", ("list", {"since": "foo"}))
        self.refused("nothing is known about 'x.c:1'",
                     ("place", {"profile": "app.mprof", "place": "x.c:1"}))

    def test_the_session_of_the_document(self):
        text = (samples.SOURCE / "share/doc/howto/mcp.md").read_text()
        session = re.search(r"^## A session$.*?^```\n(.*?)^```$", text, re.M | re.S)[1]
        parts = [part.partition("\n") for part in re.split(r"^> ", session, flags=re.M)[1:]]
        self.assertGreater(len(parts), 3)
        asked = [(words.split()[0], dict(word.split("=") for word in words.split()[1:]))
                 for words, _, _ in parts]
        for (got, _), (_, _, expected) in zip(self.asked(*asked), parts):
            pattern = re.escape(expected.strip()).replace(re.escape("..."), ".*")
            self.assertTrue(re.fullmatch(pattern, got, re.S), got)


class Words(unittest.TestCase):
    def test_long_answers_are_cut_at_a_line(self):
        self.assertEqual(limited("a" * MOST_BYTES), "a" * MOST_BYTES)
        cut = limited("\u00e4\n" * MOST_BYTES)
        self.assertLessEqual(len(cut.encode()), MOST_BYTES)
        self.assertTrue(cut.endswith("\u00e4\n... cut here"))

    def test_without_the_sdk_it_is_said_how_to_get_it(self):
        done = subprocess.run([samples.MPROF, "mcp"], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, env={
                                  "MPIPROF_PYTHON": os.environ["MPIPROF_TEST_PYTHON"],
                                  "PYTHONNOUSERSITE": "1", "PATH": os.environ["PATH"]})
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("mprof mcp needs the Python package 'mcp>=2'", done.stderr)


if __name__ == "__main__":
    unittest.main()
