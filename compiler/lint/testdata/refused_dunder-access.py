from json import __builtins__ as b  # ! dunder-access
from runlace_types import Ctx


class Row:
    def __init__(self) -> None:
        self.__secret = 1  # ! dunder-access


def rows():
    yield 1


def run(ctx: Ctx) -> dict[str, object]:
    ().__class__.__bases__[0].__subclasses__()  # ! dunder-access dunder-access dunder-access
    ctx.__dict__  # ! dunder-access
    ctx.crm.__class__  # ! dunder-access
    __builtins__["open"]  # ! dunder-access
    __loader__  # ! dunder-access
    Row.__init__ = None  # ! dunder-access
    super().__getattribute__("x")  # ! dunder-access
    rows().gi_frame.f_back  # ! dunder-access dunder-access
    match ctx.inputs:
        case object(__class__=c):  # ! dunder-access
            print(c)
    try:
        pass
    except ValueError as e:
        return {"error": type(e).__name__}  # ! dunder-access
    return {"b": b}
