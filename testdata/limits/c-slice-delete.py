# hostile: delete from the front of a long bytearray, one at a time
# want: cpu-limit
# line: 8-9


def run(ctx):
    data = bytearray(10**8)
    while len(data) > 2:
        del data[1]
