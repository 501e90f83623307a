# trick: reach the C module _io through the class of an io object and open files with it
# want: nothing
# native: finds
import io


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
    raw = reach("_io")
    bases = {cls.__name__: cls for cls in type(io.BytesIO()).__mro__}
    for cls in (raw.FileIO, bases["_IOBase"].__subclasses__()[0], *bases["_IOBase"].__subclasses__()):
        for sub in (cls, *cls.__subclasses__()):
            if sub.__name__ == "FileIO":
                try:
                    found.append(f"{sub} read {len(sub('/etc/passwd').read(10))} bytes")
                except OSError:
                    pass
    try:
        raw.open("/etc/passwd").close()
        found.append("_io.open")
    except OSError:
        pass
    return found
