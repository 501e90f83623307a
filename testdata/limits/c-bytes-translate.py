# hostile: translate ten million bytes in a loop
# want: cpu-limit
# line: 8-9


def run(ctx):
    data, table = bytes(10**7), bytes(range(256))
    while True:
        data.translate(table)
