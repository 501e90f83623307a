# trick: return things that are no JSON value
# want: output-invalid


def run(ctx):
    return {"module": run, "set": {1, 2}, "bytes": b"x", "object": object()}
