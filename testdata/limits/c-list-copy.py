# hostile: copy a long list in a loop
# want: cpu-limit
# line: 8-9


def run(ctx):
    items = [None] * 10**7
    while True:
        items[:]
