# hostile: a list that only grows
# want: memory-limit
# line: 8-9


def run(ctx):
    items = []
    while True:
        items.append(bytearray(1 << 20))
