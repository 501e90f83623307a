# want: "α☃"
def run(ctx):
    return "\N{GREEK SMALL LETTER ALPHA}" + eval(r"'\N{SNOWMAN}'")
