#!/usr/bin/env python3
"""The recipes for Spack, EasyBuild, Apptainer, GitHub and GitLab say what the project says: its
version, its CMake options, the packages of share/package/packages.txt. Their languages are read by
small stand-ins for Spack and EasyBuild, so that a misspelt word is seen.

    check_recipes.py SOURCE_FOLDER
"""

import contextlib
import pathlib
import re
import subprocess
import sys
import types

OPTION = re.compile(r"\bMPROF_[A-Z]+\b")


class Spack:
    """What a recipe says of itself: the directives of spack.package that this one may use."""

    def __init__(self):
        self.versions, self.needed, self.variants = [], [], []

    def names(self):
        class CMakePackage:
            def define(self, name, value):
                return f"-D{name}={value}"

            def define_from_variant(self, name, variant):
                return f"-D{name}={variant}"

        return {
            "CMakePackage": CMakePackage,
            "license": lambda name: None,
            "version": lambda number, **_: self.versions.append(number),
            "variant": lambda name, default, description: self.variants.append(name),
            "depends_on": lambda spec, type=None, when=None: self.needed.append(spec),
            "conflicts": lambda spec, msg: None,
            "when": lambda spec: contextlib.nullcontext(),
        }


def check_spack(path, version):
    spack = Spack()
    module = types.ModuleType("spack.package")
    module.__dict__.update(spack.names())
    sys.modules["spack"] = types.ModuleType("spack")
    sys.modules["spack.package"] = module
    names = {}
    exec(compile(path.read_text(), path.name, "exec"), names)  # nothing but assignments and calls
    arguments = names["Mprof"]().cmake_args()
    if spack.versions != [version]:
        yield f"{path.name}: version {spack.versions}, not {version}"
    for variant in ("command", "placement", "otf2"):
        if variant not in spack.variants:
            yield f"{path.name}: no variant {variant}"
    if "cli11" not in spack.needed:
        yield f"{path.name}: depends on {spack.needed}"
    if f"-DMPROF_PARSER={'command'}" not in arguments:
        yield f"{path.name}: {arguments}"


def check_easybuild(path, version):
    names = {"SOURCELOWER_TAR_GZ": "%(namelower)s-%(version)s.tar.gz", "SHLIB_EXT": "so"}
    exec(compile(path.read_text(), path.name, "exec"), names)  # as EasyBuild does
    chain = names["toolchain"]
    file = f"{names['name']}-{names['version']}-{chain['name']}-{chain['version']}.eb"
    if names["version"] != version or path.name != file:
        yield f"{path.name}: it says {names['version']}, and should be called {file}"
    for row in names["dependencies"] + names["builddependencies"]:
        if len(row) != 2 or not re.match(r"\d", row[1]):
            yield f"{path.name}: {row}"


def check_apptainer(path):
    parts = re.split(r"^%(\w+)", path.read_text(), flags=re.M)
    names = set(parts[1::2])
    stages = path.read_text().count("\nBootstrap: ")
    if stages != 2 or names != {"files", "post", "runscript", "test", "labels"}:
        yield f"{path.name}: {stages} stages with {sorted(names)}"


def check_ci(path):
    text = path.read_text()
    try:
        import yaml
    except ImportError:
        yaml = None
    if yaml:
        yaml.safe_load(text)
    for call in ("history 5", "--keep history", "--publish history public"):
        if f"compare.sh {call}" not in text:
            yield f"{path.name}: does not call compare.sh {call}"


def check_options(path, known):
    for option in sorted(set(OPTION.findall(path.read_text())) - known):
        yield f"{path.name}: there is no CMake option {option}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    top = pathlib.Path(sys.argv[1])
    recipes = top / "share" / "recipes"
    cmake = (top / "CMakeLists.txt").read_text()
    version = re.search(r"project\(mprof VERSION (\S+)", cmake)[1]
    (easybuild,) = recipes.glob("*.eb")
    wrong = [*check_spack(recipes / "package.py", version), *check_easybuild(easybuild, version),
             *check_apptainer(recipes / "mprof.def"),
             *check_ci(recipes / "ci/github.yml"), *check_ci(recipes / "ci/gitlab.yml")]
    for path in (recipes / "package.py", easybuild, recipes / "mprof.def"):
        wrong += check_options(path, set(OPTION.findall(cmake)))
    done = subprocess.run(["bash", "-n", recipes / "ci/compare.sh"], check=False)
    if done.returncode != 0:
        wrong.append("compare.sh: is no script")
    packages = [sys.executable, "-B", top / "share/package/write_packages.py", "--check"]
    done = subprocess.run(packages, capture_output=True, text=True, check=False)
    wrong += (done.stdout + done.stderr).splitlines() if done.returncode != 0 else []
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
