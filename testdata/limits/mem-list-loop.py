# hostile: a list of a hundred megabytes, over and over, each freed again
# want: cpu-limit
# line: 7-8


def run(ctx):
    while True:
        [0] * (2 * 10**7)
