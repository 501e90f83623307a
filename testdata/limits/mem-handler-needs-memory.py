# hostile: need more memory to report the lack of it
# want: memory-limit


def run(ctx):
    items = []
    try:
        while True:
            items.append(bytearray(1 << 16))
    except MemoryError:
        items.append("x" * (1 << 29))
