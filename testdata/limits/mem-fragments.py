# hostile: take many blocks, free every other one, ask for larger ones
# want: memory-limit or completed or cpu-limit
# line: 8-13


def run(ctx):
    size, total = 1000, 0
    for _ in range(8):
        blocks = [bytearray(size) for _ in range(5 * 10**7 // size)]
        total += len(blocks)
        del blocks[::2]
        size += size // 2
    return total
