# want: ["2025-02-03T17:00:00",126,"2025-05-06"]
import time
from datetime import date, datetime
def run(ctx):
    return [datetime.strptime("3 Feb 2025 PM 05", "%d %b %Y %p %I").isoformat(), time.strptime("2025-05-06", "%Y-%m-%d").tm_yday, date.fromisoformat("20250506").isoformat()]
