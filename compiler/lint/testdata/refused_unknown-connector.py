from runlace_types import Ctx


def run(ctx: Ctx) -> dict[str, object]:
    ctx.send_email(to="x")  # ! unknown-connector
    return {"x": ctx.find_contact}  # ! unknown-connector
