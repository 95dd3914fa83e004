"""Stand-ins for what Bazel 4 would download before it can run a py_test.

Bazel 4 asks for three repositories that a Python project does not use: rules_cc and rules_java,
because its own C++ and Java packages load their rules from there, and remote_coverage_tools,
because every test names its coverage reporter. With these stand-ins `bazel test` needs no network.
Bazel 6 and 7 bring or fetch the real ones, so they get none; that path needs a network and has not
been tried.
"""

_CC_RULES = [
    "cc_binary",
    "cc_import",
    "cc_library",
    "cc_proto_library",
    "cc_test",
    "cc_toolchain",
    "cc_toolchain_suite",
    "objc_library",
]

_JAVA_RULES = [
    "java_binary",
    "java_import",
    "java_library",
    "java_runtime",
    "java_test",
    "java_toolchain",
]

def _native_rules_impl(ctx):
    """Writes a repository whose `defs.bzl` gives Bazel's own rules under their usual names."""
    ctx.file("WORKSPACE", "workspace(name = \"%s\")\n" % ctx.name)
    ctx.file("%s/BUILD" % ctx.attr.package, "")
    ctx.file(
        "%s/defs.bzl" % ctx.attr.package,
        "".join(["%s = native.%s\n" % (rule, rule) for rule in ctx.attr.rules]),
    )

_native_rules = repository_rule(
    implementation = _native_rules_impl,
    attrs = {
        "package": attr.string(mandatory = True),
        "rules": attr.string_list(mandatory = True),
    },
)

def _no_coverage_impl(ctx):
    """Writes a repository with the names that a test's coverage attributes point to, empty."""
    ctx.file("WORKSPACE", "workspace(name = \"%s\")\n" % ctx.name)
    ctx.file("BUILD", """\
package(default_visibility = ["//visibility:public"])

filegroup(name = "coverage_report_generator")

filegroup(name = "lcov_merger")
""")

_no_coverage = repository_rule(implementation = _no_coverage_impl)

def offline_stand_ins():
    """Declares the stand-ins under Bazel 4, and nothing under any other version."""

    # Debian's build of 4.2.3 reports no version at all.
    if native.bazel_version and not native.bazel_version.startswith("4."):
        return
    _native_rules(name = "rules_cc", package = "cc", rules = _CC_RULES)
    _native_rules(name = "rules_java", package = "java", rules = _JAVA_RULES)
    _no_coverage(name = "remote_coverage_tools")
