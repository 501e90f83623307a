# hostile: a translation table whose entries are long texts
# want: memory-limit
# line: 8


def run(ctx):
    text = 'x' * 10**6
    return len(text.translate({120: 'y' * 1000}))
