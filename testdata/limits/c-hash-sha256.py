# hostile: digest much data
# want: cpu-limit
# line: 9-10
import hashlib


def run(ctx):
    h, data = hashlib.sha256(), bytes(5 * 10**7)
    while True:
        h.update(data)
