# trick: look for an earlier run's settings of the interpreter: limits, hooks, tracers, collector, warnings, decimal context, random state
# want: nothing
# native: finds
import decimal
import json
import random


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
    sys, gc, warnings = reach("sys"), reach("gc"), reach("warnings")
    random.seed(7)
    seven = random.getstate()
    checks = {
        "recursion limit": sys.getrecursionlimit() == 3333,
        "digits": sys.get_int_max_str_digits() == 0,
        "switch interval": sys.getswitchinterval() == 0.5,
        "excepthook": sys.excepthook is not sys.__excepthook__ and getattr(sys.excepthook, "__name__", "") == "<lambda>",
        "displayhook": getattr(sys.displayhook, "__name__", "") == "<lambda>",
        "unraisablehook": getattr(sys.unraisablehook, "__name__", "") == "<lambda>",
        "asyncgen hooks": sys.get_asyncgen_hooks().firstiter is not None,
        "monitoring": sys.monitoring.get_tool(3) is not None,
        "trace": sys.gettrace() is not None,
        "profile": sys.getprofile() is not None,
        "gc callbacks": bool(gc.callbacks),
        "gc garbage": bool(gc.garbage),
        "gc threshold": gc.get_threshold()[0] == 12345,
        "warnings": any(f[0] == "error" or "POLLUTION" in str(f) for f in warnings.filters),
        "precision": decimal.getcontext().prec != 28 or decimal.DefaultContext.prec != 28,
        "traps": decimal.getcontext().traps[decimal.Inexact],
        "atexit": reach("atexit")._ncallbacks() > 50,
        "random state": seven != random.getstate(),
        "signal": any(getattr(reach("_signal").getsignal(n), "__name__", "") == "<lambda>" for n in (2, 15)),
    }
    try:
        json.codecs.lookup_error("runlace_pollution")
        checks["error handler"] = True
    except LookupError:
        pass
    for variable in reach("_contextvars").copy_context():
        if "pollution" in repr(variable):
            checks["context variable"] = True
    return [name for name, bad in checks.items() if bad]
