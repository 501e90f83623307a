# hostile: make classes, data classes, enums and named tuples for ever
# want: cpu-limit
# line: 10-13
import collections
import dataclasses
import enum


def run(ctx):
    while True:
        dataclasses.make_dataclass('D', ['a', 'b'])
        enum.Enum('E', 'A B C')
        collections.namedtuple('T', 'a b')
