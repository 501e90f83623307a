# hostile: a bytearray that doubles
# want: memory-limit
# line: 8-9


def run(ctx):
    data = bytearray(b'x')
    while True:
        data *= 2
