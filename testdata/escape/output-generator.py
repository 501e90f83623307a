# trick: return an awaitable, a generator and a lazy object in place of a value
# want: output-invalid


def run(ctx):
    async def later():
        return 1

    return [(x for x in range(3)), map(str, range(3)), later]
