"""What the tests of quick and of the gate ask for is in the packages that ./dev test installs, and
none of them needs a fixture that downloads something.

    packages.py SOURCE_FOLDER BUILD_FOLDER

It compares what each test asked for when it ran last (build/needs, by tests/groups/needs.py), and
what CMake looks for, with the table of packages in `dev`. It runs as the last test, and says which
test needs which package.
"""
import pathlib
import re
import subprocess
import sys

SOURCE, BUILD = (pathlib.Path(folder).resolve() for folder in sys.argv[1:3])
sys.path.append(str(SOURCE / "tests" / "groups"))
import needs  # noqa: E402
import tables  # noqa: E402

# The lanes, each with those whose tests it runs.
LANES = {"quick": {"quick"}, "gate": {"quick", "gate"}}
HEADER = re.compile(r"^ *find_path\(\w+ NAMES (\S+\.h\w*)", re.M)
DOWNLOAD = re.compile(r"[.](install|get)([.]|$)")  # names of such fixtures
GOOGLE_TEST = ["gtest/gtest.h", "gmock/gmock.h"]  # found by its package of CMake


def lanes_of(test):
    group = tables.group_of(test)
    return set(group.lanes) if group else set()


def headers_of_cmake():
    """The names in `dev` of the headers that CMake looks for: one without its folder, perhaps."""
    found_by = {row[2] for row in needs.rows()}
    for folder in ("libmprof", "parser", "share/cmake"):
        for path in (SOURCE / folder).glob("*.*"):
            for header in HEADER.findall(path.read_text()) if path.suffix in (".txt",
                                                                              ".cmake") else ():
                yield next((name for name in found_by if f"/{name}".endswith(f"/{header}")), header)


def with_downloads(tests):
    """The fixtures that download, and the tests that require them."""
    fixtures = {fixture for test, properties in tests.items() if DOWNLOAD.search(test)
                for fixture in properties.get("FIXTURES_SETUP", [])}
    return sorted(test for test, properties in tests.items()
                  if fixtures & {*properties.get("FIXTURES_SETUP", []),
                                 *properties.get("FIXTURES_REQUIRED", [])})


def main():
    tests = tables.tests_of(BUILD)
    asked = {path.name: path.read_text().splitlines() for path in (BUILD / "needs").glob("*")
             if path.name in tests}
    wrong = [f"{test} needs the network, and is in the lane {' and '.join(lanes_of(test))}"
             for test in with_downloads(tests) if lanes_of(test) & LANES["gate"]]
    for name, lanes in LANES.items():
        groups = subprocess.run([SOURCE / "dev", "groups", name], capture_output=True, text=True,
                                check=True).stdout.split()
        installed = {package for group, package, _ in needs.rows() if group in groups}
        of_set = {test: there for test, there in asked.items() if lanes_of(test) & lanes}
        of_set["CMake"] = [*headers_of_cmake(), *GOOGLE_TEST]
        for test, there in sorted(of_set.items()):
            wrong += [f"{test} of the lane {name} needs {need}, and so the package "
                      f"{needs.package_of(need)} in one of the groups {' '.join(groups)} of dev"
                      for need in there if needs.package_of(need) not in installed]
        print(f"{name}: {len(of_set)} tests with needs")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
