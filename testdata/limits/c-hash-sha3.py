# hostile: digest much data with the sponge functions, and squeeze a long output
# want: cpu-limit
# line: 9-11
import hashlib


def run(ctx):
    h = hashlib.shake_256(b'x')
    while True:
        h.digest(10**7)
        hashlib.blake2b(bytes(10**7)).digest()
