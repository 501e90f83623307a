# trick: lift every limit that can be changed from inside, then recurse: the host's own bounds must hold
# want: recursion-limit or memory-limit or cpu-limit


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


def run(ctx):
    sys, thread = original_sys(), reach("_thread")
    sys.set_int_max_str_digits(0)
    for act in (lambda: thread.stack_size(1 << 26), lambda: sys.setrecursionlimit(2**31 - 1), lambda: reach("gc").disable()):
        try:
            act()
        except (ValueError, RuntimeError, AttributeError):
            pass

    def deeper(n):
        return deeper(n + 1)

    return deeper(0)
