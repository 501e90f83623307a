# hostile: a modular power of numbers with sixty thousand bits
# want: cpu-limit
# line: 8


def run(ctx):
    n = (1 << 60000) - 1
    return pow(3, n, n - 2) % 10
