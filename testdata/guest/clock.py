# want: ["2026-03-04T05:06:07+00:00",true,[1.5,1.5],90.0,"2026-03-04T05:07:38.500000+00:00"]
import time
from datetime import datetime, timezone
def run(ctx):
    start, m, p = time.time(), time.monotonic(), time.perf_counter()
    out = [datetime.now(timezone.utc).isoformat()]
    for i in range(100000): pass
    out.append((time.time(), time.monotonic()) == (start, m))
    time.sleep(1.5)
    out.append([time.time() - start, round(time.perf_counter() - p, 6)])
    ctx.test.slow()
    out.append(time.time() - start - 1.5)
    return out + [datetime.now(timezone.utc).isoformat()]
