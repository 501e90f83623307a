# trick: replace the process by another program, with every exec function
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
    os, found = reach("os"), []
    for name in ("execv", "execve", "execvp", "execvpe", "fexecve"):
        try:
            args = ("/runlace/no/such/program", ["x"]) + (({},) if name.endswith("e") else ())
            getattr(os, name)(*args)
        except (AttributeError, NameError):
            pass
        except OSError:
            # There is such a function and it asked the system; in the guest it must not exist or must fail before that.
            if os.path.exists("/"):
                found.append(name)
    return found
