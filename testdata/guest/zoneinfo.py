# want: ["2025-07-01 06:00:00-04:00","2025-01-01T12:00:00+01:00",true,"No time zone found with key No/Where","+0000","UTC"]
import datetime as d, zoneinfo
def run(ctx):
    out = [str(d.datetime(2025, 7, 1, 12, tzinfo=zoneinfo.ZoneInfo("Europe/Paris")).astimezone(zoneinfo.ZoneInfo("America/New_York")))]
    out.append(d.datetime(2025, 1, 1, 12, tzinfo=zoneinfo.ZoneInfo("Europe/Paris")).isoformat())
    out.append(len(zoneinfo.available_timezones()) > 550)
    try:
        zoneinfo.ZoneInfo("No/Where")
    except zoneinfo.ZoneInfoNotFoundError as e:
        out.append(e.args[0])
    local = d.datetime(2025, 1, 1).astimezone()
    return out + [local.strftime("%z"), local.tzname()]
