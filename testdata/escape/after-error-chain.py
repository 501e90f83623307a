# trick: fail with an error whose causes form a ring, and another ring of contexts in a group
# want: exception


def run(ctx):
    first, second = ValueError("one"), KeyError("two")
    first.__cause__, second.__cause__ = second, first
    group = ExceptionGroup("g", [first, second])
    first.__context__ = group
    raise group
