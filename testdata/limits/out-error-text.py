# hostile: fail with an error text of nine megabytes
# fuel: 2000
# want: output-limit


def run(ctx):
    raise ValueError('x' * (9 << 20))
