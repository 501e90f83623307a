# trick: leave trace and profile functions that act on the code which takes the output
# want: any


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
    sys = original_sys()
    calls = []

    def tracer(frame, event, arg):
        calls.append(frame.f_code.co_name)
        for name in list(frame.f_locals):
            if name in ("result", "output", "out", "value"):
                frame.f_locals[name] = "changed by a tracer"
        return tracer

    if hasattr(sys, "settrace"):
        sys.settrace(tracer)
        sys.setprofile(tracer)
    frame = sys._getframe()
    while frame is not None:
        frame.f_trace = tracer
        frame = frame.f_back
    return calls
