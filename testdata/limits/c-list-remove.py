# hostile: search a long list for what it does not hold
# want: cpu-limit
# line: 8-10


def run(ctx):
    items = [0] * 10**7
    while True:
        items.count(1)
        1 in items
