# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formats of lit for the tests of the products that the build has. CMake says which
these are (cmake/KpackProducts.cmake)."""
import measured


class ShTest(measured.ShTest):
    """Takes folders and files below test/; of all that a test is in, the innermost
    decides."""

    def __init__(self, tested, not_tested):
        super().__init__(execute_external=True)
        self.is_tested = {**dict.fromkeys(tested, True), **dict.fromkeys(not_tested, False), "": True}

    def getTestsForPath(self, suite, path_in_suite, lit_config, local_config):
        parts = path_in_suite
        while "/".join(parts) not in self.is_tested:
            parts = parts[:-1]
        if self.is_tested["/".join(parts)]:
            yield from super().getTestsForPath(suite, path_in_suite, lit_config, local_config)


class GoogleTest(measured.GoogleTest):
    """Of the programs in folders that have one of these names: the build folder may
    hold others, of products that it had before."""

    def __init__(self, folders):
        super().__init__(".", "Tests")
        self.folders = folders

    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        if path_in_suite and path_in_suite[-1] in self.folders:
            yield from super().getTestsInDirectory(suite, path_in_suite, lit_config, local_config)
