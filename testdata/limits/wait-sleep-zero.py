# hostile: sleep no time at all, for ever
# want: cpu-limit
# line: 8-9
import time


def run(ctx):
    while True:
        time.sleep(0)
