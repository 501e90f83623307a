# hostile: sleep until the clock cannot count any further
# want: cpu-limit
# line: 8-9
import time


def run(ctx):
    while True:
        time.sleep(10**9)
