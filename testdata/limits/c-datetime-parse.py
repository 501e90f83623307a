# hostile: parse dates for ever
# want: cpu-limit
# line: 8-9
import datetime


def run(ctx):
    while True:
        datetime.datetime.strptime('3 Feb 2025 17:05', '%d %b %Y %H:%M').isoformat()
