# hostile: an endless loop whose body is on a line of its own
# want: cpu-limit
# line: 7-8


def run(ctx):
    while True:
        pass
