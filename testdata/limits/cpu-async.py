# hostile: a coroutine that awaits itself for ever without a loop
# want: cpu-limit
# line: 7-15


class Once:
    def __await__(self):
        return
        yield


def run(ctx):
    async def spin():
        while True:
            await Once()

    try:
        spin().send(None)
    except StopIteration:
        pass
