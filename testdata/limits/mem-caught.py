# hostile: run out of memory, free it, go on
# want: completed


def run(ctx):
    items = []
    try:
        while True:
            items.append(bytearray(1 << 20))
    except MemoryError:
        count = len(items)
        items.clear()
    return 100 < count < 256
