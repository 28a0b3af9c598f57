"""A server of the Model Context Protocol: `mprof mcp`, or

    python3 -m mpiprof.mcp [FOLDER] [--lines]

An assistant asks it about the profiles below FOLDER, the working folder if none is named, over
standard input and output. It has five tools, those of answers.py. Needs the package mcp (the
protocol's own SDK): pip install "mpiprof[mcp]". Exit status 2: it cannot be started.
"""

from __future__ import annotations

import argparse
import inspect
import sys
from typing import Any, Callable, List, Optional

from . import __version__
from .answers import Answers, limited
from .program import MissingPackage, MprofError, find_program

_ABOUT = ("Profiles of MPI programs: what a run was waiting for, where in the code, and what would "
          "change it. `list` shows which exist; `summary` is the first question, `why` and "
          "`place` the next ones; `compare` is for two runs.")


def server_of(answers: Answers) -> Any:
    """The server, with a tool for each answer."""
    try:
        from mcp.server import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
        from mcp_types import ToolAnnotations
    except ImportError as error:
        raise MissingPackage("'mcp>=2'", "mprof mcp") from error

    server = MCPServer("mprof", instructions=_ABOUT, version=__version__, log_level="WARNING")

    def add(tool: Callable[..., str]) -> None:
        def said(**given: str) -> str:
            try:
                return tool(**given)
            except MprofError as error:
                raise ToolError(limited(str(error))) from error

        # The SDK reads names and types of the arguments from these.
        said.__wrapped__ = tool  # type: ignore[attr-defined]
        said.__annotations__ = tool.__annotations__
        server.add_tool(said, name=tool.__name__, description=inspect.getdoc(tool),
                        annotations=ToolAnnotations(read_only_hint=True), structured_output=False)

    for tool in (answers.summary, answers.why, answers.place, answers.compare, answers.list):
        add(tool)
    return server


def _arguments(words: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="mprof mcp", description="Answers an assistant about the "
                                     "profiles below a folder, by the Model Context Protocol.")
    parser.add_argument("folder", nargs="?", default=".", metavar="FOLDER",
                        help="nothing outside it is read [the working folder]")
    parser.add_argument("--lines", action="store_true",
                        help="look up source lines in the programs that the profiles name, "
                             "wherever these are")
    return parser.parse_args(words)


def main(words: Optional[List[str]] = None) -> int:
    """Serves until standard input ends, and gives the exit status."""
    given = _arguments(words)
    try:
        find_program()
        server_of(Answers(given.folder, given.lines)).run()
    except MprofError as error:
        print(f"mprof: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
