# hostile: a list of small objects that only grows
# want: memory-limit or cpu-limit
# line: 8-9


def run(ctx):
    items = []
    while True:
        items.append([items])
