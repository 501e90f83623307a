# want: ["P(x=1, y=None)",true,"i","o",["x","y"],"K.A|B","T[int]"]
import dataclasses, enum, functools, typing
@dataclasses.dataclass(order=True, kw_only=True)
class P:
    x: int = 0
    y: typing.Optional[str] = None
class K(enum.Flag):
    A = enum.auto()
    B = enum.auto()
@functools.singledispatch
def f(v): return "o"
@f.register
def _(v: int): return "i"
class T[U]: pass
def run(ctx):
    return [repr(P(x=1)), P(x=1) < P(x=2), f(1), f(""), list(typing.get_type_hints(P)), str(K.A | K.B), T[int].__origin__.__name__ + "[int]"]
