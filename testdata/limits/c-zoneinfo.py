# hostile: load time zones again and again
# want: cpu-limit
# line: 8-9
import zoneinfo


def run(ctx):
    while True:
        zoneinfo.ZoneInfo.no_cache('Europe/Berlin')
