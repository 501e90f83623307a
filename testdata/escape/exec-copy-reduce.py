# trick: let copy.copy and copy.deepcopy call what __reduce_ex__ names
# want: nothing
# native: finds
import copy


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


class Call:
    def __init__(self, function, *args):
        self.call = function, args

    def __reduce_ex__(self, protocol):
        return self.call


def run(ctx):
    posix, found = reach("posix"), []
    for function, args in ((open, ("/etc/passwd",)), (posix.listdir, ("/",)), (posix.open, ("/etc/passwd", 0))):
        for how in (copy.copy, copy.deepcopy):
            try:
                how(Call(function, *args))
            except OSError:
                continue
            found.append(f"{function.__name__} by {how.__name__}")
    return found
