# hostile: sleep for ever, an hour at a time
# want: cpu-limit
# line: 8-9
import time


def run(ctx):
    while True:
        time.sleep(3600)
