# trick: read the bits of not-a-number values, which differ between processors
# want: same
import math


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
    struct = reach("_struct")
    inf = float("inf")
    values = [inf - inf, inf * 0, -(inf - inf), math.nan, -math.nan, float("nan") + 1, math.fmod(math.nan, 2), math.copysign(math.nan, -1), abs(-math.nan),
              math.sqrt(math.nan), math.nan ** 2, complex(inf, math.nan).real * 0, sum([inf, -inf]), min(math.nan, 1.0), math.nextafter(math.nan, 0)]
    return [struct.pack("<d", v).hex() for v in values] + [struct.pack("<f", v).hex() for v in values] + [str(math.copysign(1, v)) for v in values]
