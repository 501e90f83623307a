# hostile: sleep until the clock overflows, and then go on asking for the time
# want: cpu-limit
# line: 8-17
import time


def run(ctx):
    while True:
        try:
            time.sleep(9 * 10**9)
        except Exception:
            pass
        try:
            time.time()
            time.localtime()
        except Exception:
            pass
