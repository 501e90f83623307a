# hostile: fill fifty megabytes with nothing, in a loop
# want: cpu-limit
# line: 7-8


def run(ctx):
    while True:
        bytearray(5 * 10**7)
