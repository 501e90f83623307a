# want: tool-error
# says: it did not work
# says: File "workflow.py", line 6, in run
# line: 6
def run(ctx):
    ctx.test.fail(x=1)
