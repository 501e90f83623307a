# The annotations of a wrong list of parameters are not looked at.
def run(inputs, ctx) -> dict[str, object]:  # ! bad-run-signature
    return {}
