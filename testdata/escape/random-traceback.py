# trick: look at the texts of errors and warnings, which may hold addresses, paths and times
# want: same
# native: finds
import contextlib
import io


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
    traceback, warnings = reach("traceback"), reach("warnings")
    out = []
    for act in (lambda: 1 / 0, lambda: object().nothing, lambda: open("/x"), lambda: [][object()], lambda: __import__("nothing"), lambda: ctx.nothing.tool(),
                lambda: int("x" * 10), lambda: {}[run], lambda: compile("(", "f", "exec"), lambda: reach("posix").open("x", 0)):
        try:
            act()
        except Exception as e:
            out.append("".join(traceback.format_exception(e)))
    with contextlib.redirect_stderr(io.StringIO()) as err:
        warnings.warn("a warning with " + repr(object()))
    return out + [err.getvalue()]
