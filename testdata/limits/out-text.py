# hostile: return a text of nine megabytes
# want: output-limit


def run(ctx):
    return 'x' * (9 << 20)
