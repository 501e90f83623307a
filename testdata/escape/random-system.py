# trick: draw from the system's entropy: urandom, getrandom, SystemRandom, secrets, uuid4
# want: same
# native: finds
import random
import uuid


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
    out = [random.SystemRandom().random(), random.SystemRandom().getrandbits(256), str(uuid.uuid4()), str(uuid.uuid4())]
    for module, name, args in (("posix", "urandom", (16,)), ("posix", "getrandom", (16,)), ("secrets", "token_hex", (8,)), ("os", "urandom", (8,)),
                               ("random", "_urandom", (8,)), ("secrets", "randbelow", (10**9,))):
        try:
            out.append(repr(getattr(reach(module), name)(*args)))
        except (ImportError, AttributeError):
            pass
    return out
