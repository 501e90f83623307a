# hostile: ignore the lack of memory for ever
# want: cpu-limit
# line: 8-12


def run(ctx):
    items = []
    while True:
        try:
            items.append(bytearray(1 << 20))
        except MemoryError:
            pass
