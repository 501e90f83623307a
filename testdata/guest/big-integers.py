# want: [4300,true,"ValueError"]
def run(ctx):
    text = "7" * 4300
    out = [len(str(int(text))), int(text) % 10 == 7]
    try:
        int(text + "7")
    except ValueError as e:
        out.append(type(e).__name__)
    return out
