# The type checker reports these.
from runlace_types import Ctx


def run(ctx: Ctx) -> dict[str, object]:
    ctx.send_email.now(to="x")
    return {"x": ctx.nothing.send_email(to="x")}
