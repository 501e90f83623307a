# hostile: a monitoring callback that loops
# want: cpu-limit
# line: 21-22


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


def forever(*args):
    while True:
        pass


def watched():
    return 1


def run(ctx):
    monitoring = reach("sys").monitoring
    monitoring.use_tool_id(1, "x")
    monitoring.register_callback(1, monitoring.events.PY_START, forever)
    monitoring.set_events(1, monitoring.events.PY_START)
    return watched()
