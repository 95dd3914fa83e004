"""Python toolchains: the interpreter and the packages of the project's `.venv` and `.venv-3.11`."""

_BUILD = """\
load("@bazel_tools//tools/python:toolchain.bzl", "py_runtime_pair")

# The list of packages is part of the runtime, so that every test's result depends on it.
py_runtime(
    name = "python3",
    files = ["packages.txt"],
    interpreter = "python3.sh",
    python_version = "PY3",
    stub_shebang = "#!{shebang}",
)

py_runtime_pair(
    name = "runtimes",
    py3_runtime = ":python3",
)

toolchain(
    name = "toolchain",
    toolchain = ":runtimes",
    toolchain_type = "@bazel_tools//tools/python:toolchain_type",
)
"""

_WRAPPER = """\
#!/bin/sh
exec '%s' "$@"
"""

def _python_environment_impl(ctx):
    environment = ctx.path(Label("//:WORKSPACE")).dirname.get_child(ctx.attr.folder)
    if not environment.get_child("packages.txt").exists:
        fail("There is no complete Python environment in %s: run `make %s` first." %
             (environment, ctx.attr.folder[1:]))

    # Reading a file by its label makes Bazel come back here when that file changes.
    packages = ctx.read(Label("//:%s/packages.txt" % ctx.attr.folder))
    ctx.file("packages.txt", packages, executable = False)
    python = str(environment.get_child("bin").get_child("python"))
    ctx.file("python3.sh", _WRAPPER % python)

    # Bazel starts a test by a Python script of its own. Any Python does, and this one is sure to
    # be there, but the kernel takes no long path in the first line of a script.
    shebang = python if len(python) < 100 else "/usr/bin/env python3"
    ctx.file("BUILD", _BUILD.replace("{shebang}", shebang), executable = False)

python_environment = repository_rule(
    implementation = _python_environment_impl,
    attrs = {"folder": attr.string(default = ".venv")},
    doc = "A Python toolchain that runs the environment which `make` made from a lock in a folder.",
)
