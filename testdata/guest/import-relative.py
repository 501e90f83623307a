# want: import-refused
# says: a workflow is one file
def run(ctx):
    from . import x
