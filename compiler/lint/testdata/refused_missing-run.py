"""run exists, but not at the top level."""  # ! missing-run
import os  # ! forbidden-import

if True:
    def run(ctx):
        return 1
