# trick: look for output of an earlier run that was not written out: the buffers of the standard streams
# want: nothing


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


def needle():
    """What the polluting run plants, put together here so that this file does not hold it; a digit follows it there."""
    return "-".join(("RUN" + "lace".upper(), "noitullop"[::-1].upper(), ""))


def run(ctx):
    sys, found = reach("sys"), []
    for name in ("stdout", "stderr", "__stdout__", "__stderr__", "stdin"):
        stream = getattr(sys, name, None)
        try:
            text = stream.getvalue()
        except AttributeError:
            continue
        if needle() in str(text):
            found.append(name)
        for attribute in list(getattr(stream, "__dict__", {})):
            if needle() in str(getattr(stream, attribute)):
                found.append(f"{name}.{attribute}")
    return found
