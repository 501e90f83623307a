# Whatever Python 3.13 has.
from runlace_types import Ctx

type Row = dict[str, object]


def first[T](items: list[T]) -> T:
    match items:
        case [x, *_]:
            return x
        case _:
            raise ValueError(f"{'nothing'} in {items!r}")


def run(ctx: Ctx) -> Row:
    while (n := 3) < 2:
        pass
    try:
        return {"first": first([n])}
    except* ValueError:
        pass
    return {}
