# want: exception
# says: ExceptionGroup: several (2 sub-exceptions)
def run(ctx):
    raise ExceptionGroup("several", [ValueError(1), KeyError("k")])
