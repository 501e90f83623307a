# trick: hand the guest's own functions objects that lie about their class, hoping for a confusion in its C code
# want: any


class Liar:
    __class__ = dict

    def __init__(self, cls):
        self.cls = cls

    def __getattribute__(self, name):
        if name == "__class__":
            return object.__getattribute__(self, "cls")
        raise AttributeError(name)


def run(ctx):
    results = []
    for cls in (dict, list, str, int, bytes, type, type(ctx), BaseException):
        liar = Liar(cls)
        for act in (lambda: ctx.tool.call(x=liar), lambda: ctx.tool.call(**{"x": liar}), lambda: print(liar), lambda: isinstance(liar, cls), lambda: ctx.ai(system=liar, user=liar)):
            try:
                results.append(str(act())[:40])
            except Exception as e:
                results.append(type(e).__name__)
    return results
