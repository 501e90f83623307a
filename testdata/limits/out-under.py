# hostile: return a text of seven megabytes
# want: completed


def run(ctx):
    return 'x' * (7 << 20)
