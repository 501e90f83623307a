# want: ["February","Thu 01 Jan","UTC","Mon"]
import calendar, time
def run(ctx):
    return [calendar.month(2025, 2).split()[0], time.strftime("%a %d %b", time.gmtime(0)), time.localtime(0).tm_zone, calendar.day_abbr[0]]
