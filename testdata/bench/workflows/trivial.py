def run(ctx):
    return None
