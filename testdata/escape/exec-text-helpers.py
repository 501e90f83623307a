# trick: smuggle code through helpers that evaluate text: type hints, dataclass fields, named tuples, signatures, doctest, timeit
# want: nothing
# native: finds
import collections
import dataclasses
import typing


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
    code = "__import__('posix').listdir('/')"

    def attempt(name, act):
        try:
            act()
        except BaseException:
            return
        found.append(name)

    def hinted(x: code):
        pass

    attempt("get_type_hints", lambda: typing.get_type_hints(hinted, {"__builtins__": reach("builtins")}))
    attempt("ForwardRef", lambda: typing.ForwardRef(code)._evaluate({}, {}, frozenset(), recursive_guard=frozenset()))
    attempt("make_dataclass", lambda: dataclasses.make_dataclass("D", [("x", int, dataclasses.field(default_factory=lambda: eval(code)))])())
    attempt("namedtuple", lambda: collections.namedtuple("T", f"x={code}", defaults=(1,)))
    attempt("signature", lambda: dataclasses.inspect.signature(hinted, eval_str=True))
    attempt("timeit", lambda: reach("timeit").timeit(code, number=1))
    attempt("InteractiveInterpreter", lambda: reach("code").InteractiveInterpreter().runsource("import posix; posix.listdir('/')") and None)
    return [name for name in found if name != "InteractiveInterpreter"]
