# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formats of lit that find the tests of chosen products only (cmake/KpackProducts.cmake)."""
import measured


class ShTest(measured.ShTest):
    """Finds no tests below the paths of not_tested. Paths are relative to test/; the
    longest path that contains a test decides. Nothing below a path of left_out is tested."""

    def __init__(self, tested, not_tested, left_out=()):
        super().__init__(execute_external=True)
        self.left_out = set(left_out)
        self.is_tested = {**dict.fromkeys(tested, True), **dict.fromkeys(not_tested, False), "": True}

    def getTestsForPath(self, suite, path_in_suite, lit_config, local_config):
        parts = path_in_suite
        if any("/".join(parts[:count]) in self.left_out for count in range(1, len(parts) + 1)):
            return
        while "/".join(parts) not in self.is_tested:
            parts = parts[:-1]
        if self.is_tested["/".join(parts)]:
            yield from super().getTestsForPath(suite, path_in_suite, lit_config, local_config)


class GoogleTest(measured.GoogleTest):
    """Finds programs in the named folders only. The build folder may also hold programs
    of products that were chosen earlier."""

    def __init__(self, folders):
        super().__init__(".", "Tests")
        self.folders = folders

    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        if path_in_suite and path_in_suite[-1] in self.folders:
            yield from super().getTestsInDirectory(suite, path_in_suite, lit_config, local_config)
