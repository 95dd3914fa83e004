"""Targets of a room, a folder of Python files, made from its files."""

def room(deps = [], data = [], binaries = []):
    """One library of all files of this folder and of those below it that have no BUILD file.

    Args:
      deps: The rooms that the files import; tests/bazel/rooms_test.py compares them with the imports.
      data: What the files read beside each other.
      binaries: The names of the files, without `.py`, that are run as programs.
    """
    name = native.package_name().split("/")[-1]
    native.py_library(
        name = name,
        srcs = native.glob(["**/*.py"]),
        data = data + ["BUILD"],  # Read by the test of `deps`.
        visibility = ["//visibility:public"],
        deps = deps,
    )
    for binary in binaries:
        native.py_binary(
            name = binary,
            srcs = [binary + ".py"],
            deps = [":" + name],
        )

def room_tests(deps, data = [], shards = 1, longest = [], alone = {}, preload = True):
    """One test of all files whose names end in `_test.py`, and `testing`, a library of the others.

    Args:
      deps: The rooms that the tests import, and `//tests/<room>:testing` of other rooms' tests.
      data: What the tests read beside that.
      shards: The number of processes that take turns at the files, each with one at a time.
      longest: Files that take longest, without `.py`, longest first: processes begin with them.
      alone: Files that are tests of their own, without `.py`, and the number of shards of each, which
        take turns at its cases.
      preload: Whether files begin with TensorFlow Federated imported, see tools/run_modules.py.
    """
    native.py_library(
        name = "testing",
        testonly = True,
        srcs = native.glob(["**/*.py"], exclude = ["**/*_test.py"]),
        visibility = ["//tests:__subpackages__"],
    )
    runner = "//tools:run_modules.py"
    options = [] if preload else ["--no_preload"]
    compatibility = "//tff_lg/compatibility"
    preloaded = [compatibility] if preload and compatibility not in deps else []
    folder = native.package_name() + "/"
    for name, count in alone.items():
        native.py_test(
            name = name,
            size = "medium",
            srcs = [name + ".py", runner],
            args = options + [folder + name + ".py"],
            data = data,
            main = runner,
            shard_count = count,
            deps = deps + [":testing"] + preloaded,
        )
    first = [name + ".py" for name in longest]
    others = [name + ".py" for name in alone]
    sources = first + native.glob(["**/*_test.py"], exclude = first + others)
    native.py_test(
        name = "tests",
        size = "medium",
        srcs = sources + [runner],
        args = options + [folder + source for source in sources],
        data = data,
        main = runner,
        shard_count = shards,
        deps = deps + [":testing"] + preloaded,
    )
