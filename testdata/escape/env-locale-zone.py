# trick: see the locale and the time zone of the host
# want: nothing
# native: finds
import time
from datetime import datetime


def reach(name):
    """The module of that name, past the allowlist: a loaded one, else through the interpreter's own import."""
    import json
    codecs = json.codecs
    modules = codecs.sys.modules
    if modules.get(name) is None:
        try:
            codecs.builtins.__import__(name)
        except ImportError:
            modules["_frozen_importlib"]._gcd_import(name)
    print("reached", name)
    return modules[name]


def run(ctx):
    found = []
    if time.timezone or time.altzone or time.daylight or set(time.tzname) - {"UTC", "GMT"}:
        found.append(f"zone {time.tzname} {time.timezone}")
    if datetime.fromtimestamp(86400 * 200).hour or time.localtime(86400 * 200).tm_hour:
        found.append("local time is not UTC")
    if hasattr(time, "tzset"):
        os = reach("os")
        os.environ["TZ"] = "Asia/Tokyo"
        time.tzset()
        if time.localtime(0).tm_hour:
            found.append("tzset read a zone file")
    locale = reach("locale")
    try:
        name = locale.setlocale(locale.LC_ALL, "")
        if set(name.split(";")) - {"C", "POSIX", "C.UTF-8"}:
            found.append("locale " + name)
    except locale.Error:
        pass
    for name in ("de_DE.UTF-8", "en_US.UTF-8", "fr_FR", "C.utf8"):
        try:
            locale.setlocale(locale.LC_ALL, name)
        except locale.Error:
            continue
        if locale.localeconv()["decimal_point"] != "." or name == "C.utf8" and locale.nl_langinfo(locale.CODESET) == "":
            found.append("host locale " + name)
    return found
