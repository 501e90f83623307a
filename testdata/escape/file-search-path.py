# trick: put folders on sys.path with the path finder and its hooks restored, then import what only lies on a disk
# want: nothing
# native: finds
import json


def run(ctx):
    sys = json.codecs.sys
    external = sys.modules.get("_frozen_importlib_external") or sys.modules["importlib._bootstrap_external"]
    bootstrap = sys.modules["_frozen_importlib"]
    found = []
    sys.path[:] = ["", ".", "/stdlib", "/usr/lib/python3.13", "/usr/local/lib/python3.13", "/usr/lib/python3", "/lib", "/", *sys.path]
    if external.PathFinder not in sys.meta_path:
        sys.meta_path.append(external.PathFinder)
    sys.path_hooks.append(external.FileFinder.path_hook((external.SourceFileLoader, external.SOURCE_SUFFIXES),
                                                        (external.SourcelessFileLoader, external.BYTECODE_SUFFIXES)))
    sys.path_importer_cache.clear()
    for name in ("turtle", "sched", "wave", "webbrowser", "xdrlib", "smtplib", "poplib", "sqlite3", "venv", "idlelib", "tkinter"):
        if name in sys.modules:
            continue
        try:
            bootstrap._gcd_import(name)
        except (ImportError, OSError):
            continue
        found.append(name)
    return found
