# want: exception
# says: ZeroDivisionError: division by zero
# says: File "workflow.py", line 13, in run
# says: ~~^~~
# says: in inner
# line: 9
import functools
def inner(x):
    return 1 / x
def outer():
    return sorted([2, 1], key=functools.cmp_to_key(lambda a, b: inner(0)))
def run(ctx):
    outer()
