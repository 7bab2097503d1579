"""Compares what a compiler has said about messages.cpp with the messages of the
cases:  check-messages.py RequirementCases.def SAID [ANOTHER MESSAGE]...

Each message is whole, in a line with "error:", which has at most 25 lines of the
compiler's around it."""
import re
import sys

text = open(sys.argv[1]).read()
calls = re.findall(r"(?ms)^(?:SIGNATURE|ALGORITHM|WHOLE|PROBLEM)\((.*?\"\))$", text)
literal = r'"(?:\\.|[^"\\])*"'
messages = []
for call in calls:
    last = re.search(r"((?:%s\s*)+)\)$" % literal, call)[1]
    messages.append("".join(re.findall(r'"((?:\\.|[^"\\])*)"', last)).replace('\\"', '"'))
messages += sys.argv[3:]

said = open(sys.argv[2], errors="replace").read().split("\n")
# Names of types have quotes of their own escaped.
errors = [line.replace('\\"', '"') for line in said if " error: " in line]
for message in messages:
    if not any(message in error for error in errors):
        print("not said: " + message)
if len(errors) != len(messages):
    print("%d errors for %d messages" % (len(errors), len(messages)))
if len(said) > 25 * len(messages):
    print("%d lines for %d messages" % (len(said), len(messages)))
print("%d messages, %s" % (len(messages), " ".join(sorted({m[1] for m in messages}))))
