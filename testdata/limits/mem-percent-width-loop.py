# hostile: a number padded to thirty million zeros, in a loop
# want: cpu-limit
# line: 7-8


def run(ctx):
    while True:
        '%030000000d' % 1
