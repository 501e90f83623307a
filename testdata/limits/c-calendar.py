# hostile: print calendars
# want: cpu-limit
# line: 8-10
import calendar


def run(ctx):
    while True:
        for year in range(1, 9999):
            calendar.calendar(year)
