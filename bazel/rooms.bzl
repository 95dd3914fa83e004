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

def room_tests(deps, data = [], shards = {}):
    """A test for each file whose name ends in `_test.py`, and `testing`, a library of the others.

    Args:
      deps: The rooms that the tests import, and `//tests/<room>:testing` of other rooms' tests.
      data: What the tests read beside that.
      shards: The number of shards of a test that is too long for one, by the test's name.
    """
    native.py_library(
        name = "testing",
        testonly = True,
        srcs = native.glob(["**/*.py"], exclude = ["**/*_test.py"]),
        visibility = ["//tests:__subpackages__"],
    )
    for source in native.glob(["**/*_test.py"]):
        name = source[:-len(".py")]
        native.py_test(
            name = name,
            size = "medium",
            srcs = [source],
            data = data,
            main = source,
            shard_count = shards.get(name),
            deps = deps + [":testing"],
        )
