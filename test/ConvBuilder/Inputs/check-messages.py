"""Compares what a compiler has said about messages.cpp with the messages of the
cases:  check-messages.py CASES.def REQUIREMENTS.h SAID [ANOTHER MESSAGE]...

Each message is whole, in a line with "error:", which has at most 25 lines of the
compiler's around it. Each id of the table of REQUIREMENTS.h has one, but for S0, which
import-errors.cpp has, and what is asked of compiled code."""
import re
import sys

cases, table, said = (open(path, errors="replace").read() for path in sys.argv[1:4])
calls = re.findall(r"(?ms)^(?:SIGNATURE|ALGORITHM|WHOLE|PROBLEM)\((.*?\"\))$", cases)
literal = r'"(?:\\.|[^"\\])*"'
messages = []
for call in calls:
    last = re.search(r"((?:%s\s*)+)\)$" % literal, call)[1]
    messages.append("".join(re.findall(r'"((?:\\.|[^"\\])*)"', last)).replace('\\"', '"'))
messages += sys.argv[4:]

said = said.split("\n")
# Names of types have quotes of their own escaped.
errors = [line.replace('\\"', '"') for line in said if " error: " in line]
for message in messages:
    if not any(message in error for error in errors):
        print("not said: " + message)
if len(errors) != len(messages):
    print("%d errors for %d messages" % (len(errors), len(messages)))
if len(said) > 25 * len(messages):
    print("%d lines for %d messages" % (len(said), len(messages)))
shown = {re.match(r"\[(\w+)\]", m)[1] for m in messages}
ids = re.findall(r'\{"([SAP]\d+)"', table.split("Requirements[] = {")[1])
for id in ids:
    if id != "S0" and id not in shown:
        print("no case: " + id)
print("%d messages of %d requirements, %s" % (len(messages), len(ids), " ".join(sorted({m[1] for m in messages}))))
