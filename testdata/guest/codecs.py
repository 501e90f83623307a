# want: ["utf-8","utf-16","utf-32","latin-1","cp1252","ascii","utf-8-sig","idna","punycode","cp437","iso8859-15","utf-7","koi8-r","mac-roman","unknown encoding: cp037"]
def run(ctx):
    out = []
    for name in "utf-8 utf-16 utf-32 latin-1 cp1252 ascii utf-8-sig idna punycode cp437 iso8859-15 utf-7 koi8-r mac-roman".split():
        if "abc".encode(name).decode(name) == "abc":
            out.append(name)
    try:
        "x".encode("cp037")
    except LookupError as e:
        out.append(str(e))
    return out
