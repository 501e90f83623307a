# hostile: copy fifty megabytes in a loop
# want: cpu-limit
# line: 8-9


def run(ctx):
    data = bytes(5 * 10**7)
    while True:
        bytearray(data)
