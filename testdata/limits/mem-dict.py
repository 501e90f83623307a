# hostile: a dict that only grows
# want: memory-limit or cpu-limit
# line: 8-10


def run(ctx):
    table, i = {}, 0
    while True:
        table[i] = str(i)
        i += 1
