import json as ctx  # ! ctx-rebound
from runlace_types import Ctx


def run(ctx: Ctx) -> dict[str, object]:
    ctx = 1  # ! ctx-rebound
    del ctx  # ! ctx-rebound
    for ctx in []:  # ! ctx-rebound
        pass
    if (ctx := 1):  # ! ctx-rebound
        pass
    try:
        pass
    except ValueError as ctx:  # ! ctx-rebound
        pass
    match 1:
        case [*ctx]:  # ! ctx-rebound
            pass
        case {**ctx}:  # ! ctx-rebound
            pass
        case ctx:  # ! ctx-rebound
            pass
    ctx.inputs = {}  # ! ctx-rebound
    ctx.crm = 1  # ! ctx-rebound
    return {"x": [1 for ctx in []]}  # ! ctx-rebound
