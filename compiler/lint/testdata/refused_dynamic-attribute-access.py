import operator
from operator import attrgetter, methodcaller as call
from runlace_types import Ctx


class Row:
    pass


def run(ctx: Ctx) -> dict[str, object]:
    row = Row()
    getattr(row, "x")  # ! dynamic-attribute-access
    setattr(row, "x", 1)  # ! dynamic-attribute-access
    delattr(row, "x")  # ! dynamic-attribute-access
    vars(row)  # ! dynamic-attribute-access
    globals()  # ! dynamic-attribute-access
    locals()  # ! dynamic-attribute-access
    getattr(ctx, "crm")  # ! dynamic-attribute-access
    g = getattr  # ! dynamic-attribute-access
    attrgetter("a" + "b")(row)  # ! dynamic-attribute-access
    operator.attrgetter("real", "__class__.__base__")  # ! dunder-access dunder-access
    call("__subclasses__")(row)  # ! dunder-access
    list(map(attrgetter, ["x"]))  # ! dynamic-attribute-access
    operator.methodcaller(*["x"])  # ! dynamic-attribute-access
    return {"g": g}
