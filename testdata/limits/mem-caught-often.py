# hostile: ask for too much a thousand times and go on each time
# want: completed


def run(ctx):
    count = 0
    for _ in range(1000):
        try:
            bytearray(2**31 - 100)
        except MemoryError:
            count += 1
    return count
