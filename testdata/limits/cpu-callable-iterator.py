# hostile: any() over an iterator without an end
# want: cpu-limit
# line: 7


def run(ctx):
    return any(False for _ in iter(int, 1))
