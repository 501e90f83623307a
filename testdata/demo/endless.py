def run(ctx):
    page = 1
    try:
        while page:
            page += 1
    except BaseException:
        return "a workflow cannot catch its limits"
