# trick: make run itself a coroutine function, so that the host would have to drive it
# want: any


async def run(ctx):
    class Park:
        def __await__(self):
            got = yield ["a value for the host"]
            return got

    return [await Park()]
