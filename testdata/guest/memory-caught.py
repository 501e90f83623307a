# want: true
def run(ctx):
    keep = []
    try:
        while True:
            keep.append(bytearray(1 << 20))
    except MemoryError:
        n = len(keep)
        keep.clear()
    return n > 100 and len(str(list(range(100000)))) > 1000
