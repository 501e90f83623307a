from runlace_types import Ctx


def run(ctx: Ctx) -> dict[str, object]:
    mail = ctx.gmail  # ! ctx-tool-not-called
    send = ctx.gmail.send_email  # ! ctx-tool-not-called
    model = ctx.ai  # ! ctx-tool-not-called
    ctx.ai.complete(system="s", user="u")  # ! ctx-tool-not-called
    ctx.gmial()  # ! ctx-tool-not-called
    ctx.nothing_like_it  # ! ctx-tool-not-called
    ctx.crm["search"](query="x")  # ! ctx-tool-not-called
    ctx.search(query="x")  # ! ctx-tool-not-called
    ctx.media  # ! ctx-tool-not-called
    return {"x": list(map(ctx.crm.search, [mail, send, model]))}  # ! ctx-tool-not-called
