# trick: use importlib, runpy, pkgutil and imp-like helpers as second doors
# want: nothing
# native: finds


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

    def attempt(name, act):
        try:
            if act():
                found.append(name)
        except Exception:
            pass

    attempt("import_module", lambda: reach("importlib").import_module("_socket"))
    attempt("spec_from_file_location", lambda: (lambda u, s: s.loader.exec_module(u.module_from_spec(s)) or True)(
        reach("importlib.util"), reach("importlib.util").spec_from_file_location("x", "/usr/lib/python3.13/this.py")))
    attempt("runpy", lambda: reach("runpy").run_path("/etc/hostname"))
    attempt("pkgutil", lambda: list(reach("pkgutil").iter_modules(["/usr/lib/python3.13", "/usr/lib/python3"])))
    attempt("resources", lambda: reach("importlib.resources").files("json").joinpath("__init__.py").read_bytes())
    attempt("metadata", lambda: list(reach("importlib.metadata").distributions()))
    attempt("site", lambda: [p for p in reach("site").getsitepackages() if reach("os").path.isdir(p)])
    attempt("zipapp", lambda: reach("zipapp"))
    attempt("ensurepip", lambda: reach("ensurepip"))
    return found
