from runlace_types import Ctx


def run(ctx: Ctx) -> dict[str, object]:
    found = ctx.crm.find_contact(email=ctx.inputs["email"]).get("id")
    text = ctx.ai(system="s", user="u").strip()
    answer = ctx.ai(system="s", user="u", schema={"type": "object", "properties": {"x": {"type": "string"}}})
    ctx.gmail.send_email(
        to="x",
        body=ctx.ai(system="é", user="u", schema=None),
    )
    ctx.crm.search(query=ctx.crm.search(query="x"))
    size = len(ctx.media("media:sha256:00"))
    return {"x": found, "n": size, "t": text, "a": answer}
