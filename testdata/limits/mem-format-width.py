# hostile: formatting with widths of a hundred million
# want: memory-limit
# line: 8-9


def run(ctx):
    items = []
    while True:
        items.append(f'{1:>100000000}')
