# want: output-invalid
# says: a workflow is not async
async def run(ctx):
    return 1
