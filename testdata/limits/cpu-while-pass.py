# hostile: the plainest endless loop
# want: cpu-limit
# line: 7


def run(ctx):
    while True: pass
