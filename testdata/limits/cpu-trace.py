# hostile: a trace function that loops; there is none to set
# want: exception
# line: 42


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


def forever(frame, event, arg):
    while True:
        pass


def traced():
    return 1


def run(ctx):
    original_sys().settrace(forever)
    return traced()
