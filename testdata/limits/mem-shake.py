# hostile: a digest of a thousand million bytes
# want: memory-limit
# line: 8
import hashlib


def run(ctx):
    return len(hashlib.shake_128(b'x').digest(2**29 - 1))
