# trick: run an event loop, whose self-pipe is a socket and whose executor is a thread
# want: nothing
# native: finds


def reach(name):
    """The module of that name, past the allowlist: a loaded one, else through the interpreter's own import."""
    import json
    codecs = json.codecs
    modules = codecs.sys.modules
    if modules.get(name) is None:
        try:
            codecs.builtins.__import__(name)
        except ImportError:
            modules["_frozen_importlib"]._gcd_import(name)
    print("reached", name)
    return modules[name]


def run(ctx):
    found = []
    try:
        asyncio = reach("asyncio")

        async def main():
            await asyncio.sleep(0)
            return await asyncio.to_thread(lambda: 5)

        found.append(f"the loop gave {asyncio.run(main())}")
    except (ImportError, OSError, AttributeError, RuntimeError, NotImplementedError):
        pass
    return found
