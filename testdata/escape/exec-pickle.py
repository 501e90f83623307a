# trick: unpickle calls: os.system, posix.open, builtins.open, through both unpicklers
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


class Call:
    def __init__(self, function, *args):
        self.function, self.args = function, args

    def __reduce__(self):
        return self.function, self.args


def run(ctx):
    pickle, found = reach("pickle"), []
    texts = [b"cposix\nlistdir\n(S'/'\ntR.", b"cbuiltins\nopen\n(S'/etc/passwd'\ntR.", b"cos\nsystem\n(S'true'\ntR.", b"cbuiltins\neval\n(S'open(\"/etc/passwd\")'\ntR.",
             b"csubprocess\ngetoutput\n(S'true'\ntR.", b"c_socket\nsocket\n(tR."]
    for function, argument in ((open, "/etc/passwd"), (reach("posix").listdir, "/")):
        try:
            texts.append(pickle.dumps(Call(function, argument)))
        except pickle.PicklingError:
            pass
    for text in texts:
        for loads in (pickle.loads, pickle._loads, reach("_pickle").loads):
            try:
                loads(text)
            except (ImportError, OSError, AttributeError, pickle.UnpicklingError):
                continue
            found.append(repr(text[:24]))
    return sorted(set(found))
