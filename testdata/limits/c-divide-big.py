# hostile: divide numbers of a million bits
# fuel: 2000
# want: cpu-limit
# line: 9-10


def run(ctx):
    a, b = 3**600000, 7**100000
    while True:
        divmod(a, b)
