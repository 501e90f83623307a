# hostile: the cubic case of ndiff
# want: cpu-limit
# line: 10-11
import difflib


def run(ctx):
    a = [f'x{i}abcdefgh\n' for i in range(300)]
    b = [f'abcdefgh{i}y\n' for i in range(300)]
    while True:
        list(difflib.ndiff(a, b))
