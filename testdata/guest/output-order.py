# want: {"z":1,"a":2,"m":3}
def run(ctx):
    return {"z": 1, "a": 2, "m": 3}
