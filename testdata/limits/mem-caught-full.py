# hostile: run out of memory byte by byte and try to go on while it is all in use
# want: completed


def run(ctx):
    items, size = [], 1 << 24
    while size:
        try:
            items.append(bytearray(size))
        except MemoryError:
            size //= 2
    return len(items) > 0
