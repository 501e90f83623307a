# trick: raise KeyboardInterrupt, which hosts often treat as a wish of the user
# want: exception


def run(ctx):
    raise KeyboardInterrupt
