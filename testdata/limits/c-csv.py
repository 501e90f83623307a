# hostile: read a quoted field that never closes
# want: cpu-limit
# line: 10-11
import csv


def run(ctx):
    csv.field_size_limit(2**30)
    lines = ['"' + 'a,' * 10**5]
    while True:
        list(csv.reader(lines))
