# trick: take what the system numbers: process, thread, descriptor and interpreter identities
# want: same
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
    out = []
    for module, name, args in (("posix", "getpid", ()), ("_thread", "get_ident", ()), ("_thread", "get_native_id", ()), ("_thread", "_count", ()),
                               ("sys", "_current_frames", ()), ("sys", "getallocatedblocks", ()), ("sys", "_getframe", ()), ("posix", "uname", ()),
                               ("sys", "getunicodeinternedsize", ()), ("_thread", "stack_size", ()), ("sys", "gettotalrefcount", ())):
        try:
            out.append([name, str(getattr(reach(module), name)(*args))])
        except (ImportError, AttributeError, OSError, ValueError):
            pass
    return out
