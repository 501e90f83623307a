# trick: let import loaders fetch bytes from files: get_data of the source, bytecode and resource loaders, reached from a module's spec
# want: nothing
# native: finds
import json


def run(ctx):
    modules = json.codecs.sys.modules
    found = []
    external = modules.get("_frozen_importlib_external") or modules["importlib._bootstrap_external"]
    for path in ("/etc/passwd", "/proc/self/environ", "/etc/hostname", json.__file__ if getattr(json, "__file__", None) else "/x"):
        for name in ("SourceFileLoader", "SourcelessFileLoader", "FileLoader"):
            loader = getattr(external, name)
            for how in (lambda: loader("m", path).get_data(path), lambda: loader.get_data(loader("json", path), path)):
                try:
                    data = how()
                except (OSError, AttributeError, ImportError):
                    continue
                if data:
                    found.append(f"{name} {path}")
        spec_loader = getattr(json.__spec__, "loader", None)
        try:
            if spec_loader.get_data(path):
                found.append(f"json's own loader, {path}")
        except (OSError, AttributeError, TypeError, ImportError):
            pass
    for name in ("_path_stat", "_path_isfile", "_path_isdir"):
        try:
            if getattr(external, name)("/etc/passwd" if name != "_path_isdir" else "/etc"):
                found.append(name)
        except OSError:
            pass
    return found
