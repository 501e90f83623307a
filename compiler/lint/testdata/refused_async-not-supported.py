from runlace_types import Ctx


async def run(ctx: Ctx) -> dict[str, object]:  # ! async-not-supported
    await ctx.crm.search(query="x")  # ! async-not-supported
    async for x in []:  # ! async-not-supported
        pass
    async with x:  # ! async-not-supported
        pass
    return {"x": [y async for y in x]}  # ! async-not-supported
