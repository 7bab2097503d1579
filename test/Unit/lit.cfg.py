# The GoogleTest programs of unittests/, one lit test for each TEST().
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(__file__)))
from chosen import GoogleTest

config.name = "kpack-Unit"
config.suffixes = []
config.test_source_root = os.path.join(config.kpack_build_dir, "unittests")
config.test_exec_root = config.test_source_root
config.test_format = GoogleTest(config.unittests)
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "KPACK_TEST_MUTATIONS", "GTEST_FILTER"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
# Which and how many convolutions: docs/reference/environment.md.
for name in os.environ:
    if name.startswith("KPACK_CONV_"):
        config.environment[name] = os.environ[name]
