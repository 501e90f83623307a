# want: [5,"00ff6d6564","b''","unknown-media","","ctx.media takes a handle, a text that begins with media:sha256:, and not a value of type int"]
from runlace_types import ToolError


def run(ctx):
    data = ctx.media("media:sha256:aa")
    try:
        ctx.media("media:sha256:cc")
    except ToolError as e:
        error = e
    try:
        ctx.media(1)
    except TypeError as e:
        return [len(data), data.hex(), repr(ctx.media(handle="media:sha256:bb")), error.code, error.tool, str(e)]
