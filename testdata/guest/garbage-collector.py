# want: [true,0]
class N: pass
def make():
    a, b = N(), N()
    a.b, b.a = b, a
def run(ctx):
    import json
    gc = json.codecs.sys.modules["gc"]
    for _ in range(1000): make()
    found = gc.collect()
    return [gc.isenabled() and found > 0, sum(isinstance(o, N) for o in gc.get_objects())]
