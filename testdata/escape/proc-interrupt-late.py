# trick: trip a signal handler in the last instruction, so that it runs while the result is being encoded
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
    signal, thread = reach("_signal"), reach("_thread")

    def handler(*args):
        raise SystemExit("late")

    try:
        signal.signal(2, handler)
    except (OSError, ValueError):
        return []

    class Late:
        def __del__(self):
            thread.interrupt_main()

    late = Late()
    return [1, 2, 3]
