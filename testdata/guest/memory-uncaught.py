# want: memory-limit
# says: the workflow ran out of memory
# line: 7
def run(ctx):
    keep = []
    while True:
        keep.append(bytearray(1 << 20))
