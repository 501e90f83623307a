# trick: run text: eval, exec, compile with flags, nested, with built-ins of its own
# want: nothing
# native: finds


def run(ctx):
    found = []
    texts = ["__import__('posix').listdir('/')", "open('/etc/passwd').read(1)", "[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'BuiltinImporter'][0].load_module('posix').listdir('/')",
             "__import__('json').codecs.sys.modules['posix'].environ[b'PATH']"]
    for text in texts:
        for how in (eval, lambda t: exec("got = " + t, {}), lambda t: eval(compile(t, "<x>", "eval"), {"__builtins__": __builtins__}), lambda t: eval(t, {}, {}),
                    lambda t: exec(compile(f"def f():\n  return {t}\nf()", "/etc/passwd", "exec"), {})):
            try:
                how(text)
            except (ImportError, OSError, KeyError, AttributeError, NameError):
                continue
            found.append(text[:40])
    return sorted(set(found))
