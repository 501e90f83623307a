# trick: import os in the open and let the refusal pass through
# want: import-refused
# native: finds
import os


def run(ctx):
    return [os.getcwd()]
