# hostile: walk through a million million numbers
# want: cpu-limit
# line: 7-8


def run(ctx):
    for i in range(10**12):
        pass
