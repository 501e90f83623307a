# hostile: wait for a lock with a time limit, for ever
# want: cpu-limit or exception
# line: 23-24


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
    lock = reach("_thread").allocate_lock()
    lock.acquire()
    while True:
        lock.acquire(True, 0.5)
