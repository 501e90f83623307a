# trick: leave monitoring callbacks that act on the code which takes the output
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


def run(ctx):
    sys = reach("sys")
    calls = []
    monitoring = sys.monitoring
    monitoring.use_tool_id(1, "x")

    def on(code, *args):
        calls.append(code.co_name)
        frame = sys._getframe(1)
        for name in list(frame.f_locals):
            if name in ("output", "result", "value", "report"):
                frame.f_locals[name] = "changed by a monitor"

    for event in (monitoring.events.PY_START, monitoring.events.LINE, monitoring.events.PY_RETURN, monitoring.events.CALL, monitoring.events.RAISE):
        monitoring.register_callback(1, event, on)
    monitoring.set_events(1, 63)
    return calls
