# hostile: insert at the front of a list for ever
# want: cpu-limit
# line: 8-9


def run(ctx):
    items = []
    while True:
        items.insert(0, 0)
