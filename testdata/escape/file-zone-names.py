# trick: make zoneinfo read a file by a name that climbs out of its folder, by another search path, by TZPATH
# want: nothing
# native: finds
import zoneinfo


def run(ctx):
    found = []
    keys = ("/etc/localtime", "../../../etc/localtime", "../zoneinfo/UTC", "localtime", "posixrules", "Europe/../../../../etc/localtime",
            "..\\..\\etc", "posix/UTC", "right/UTC", "./UTC", "UTC/../../../etc/passwd")
    for path in ((), ("/etc",), ("/usr/share/zoneinfo", "/etc", "/")):
        try:
            zoneinfo.reset_tzpath(path)
        except (ValueError, AttributeError):
            continue
        for key in keys:
            try:
                zoneinfo.ZoneInfo.no_cache(key)
            except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
                continue
            found.append(f"{key} under {path}")
    try:
        with open("/etc/localtime", "rb") as f:
            zoneinfo.ZoneInfo.from_file(f)
            found.append("from_file")
    except OSError:
        pass
    return found
