# trick: stop in the debugger: breakpoint(), pdb, sys.breakpointhook
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
    sys = reach("sys")
    try:
        sys.breakpointhook = lambda *a, **k: None
        breakpoint()
        sys.breakpointhook = sys.__breakpointhook__
        breakpoint()
        if sys.modules.get("pdb") is not None:
            found.append("the debugger took a command")
    except BaseException as e:
        # Natively the debugger starts, finds the input at its end, and quits.
        if type(e).__name__ == "BdbQuit":
            found.append("the debugger started")
    return found
