# trick: start threads: _thread, threading, timers, executors, joinable threads
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

    def attempt(name, act):
        try:
            act()
        except (ImportError, AttributeError, RuntimeError, OSError, ValueError):
            return
        found.append(name)

    attempt("_thread.start_new_thread", lambda: reach("_thread").start_new_thread(print, ("in a thread",)))
    attempt("_thread.start_joinable_thread", lambda: reach("_thread").start_joinable_thread(lambda: None))
    attempt("_thread.start_new", lambda: reach("_thread").start_new(print, ()))
    attempt("threading.Thread", lambda: reach("threading").Thread(target=print).start())
    attempt("threading.Timer", lambda: reach("threading").Timer(0.001, print).start())
    attempt("executor", lambda: reach("concurrent.futures").ThreadPoolExecutor(1).submit(print).result(1))
    attempt("daemon", lambda: reach("threading").Thread(target=print, daemon=True).start())
    return found
