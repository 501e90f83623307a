# hostile: raise the recursion limit, recurse through C code, catch, again
# want: cpu-limit or memory-limit or recursion-limit


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


def original_sys():
    """The module sys with what the guest took away from it: the import system keeps a copy of its names."""
    sys = reach("sys")
    if not hasattr(sys, "setrecursionlimit"):
        spec = type("Spec", (), {"name": "sys", "origin": "built-in", "loader": None, "submodule_search_locations": None, "parent": None})
        try:
            return reach("_imp").create_builtin(spec)
        except Exception as e:
            print("no second sys:", type(e).__name__)
    return sys


def lift():
    sys = original_sys()
    if hasattr(sys, "setrecursionlimit"):
        sys.setrecursionlimit(10**9)


class Same:
    def __eq__(self, other):
        return Same() == Same()


def run(ctx):
    lift()
    while True:
        try:
            Same() == Same()
        except RecursionError:
            pass
