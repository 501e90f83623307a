def run() -> dict[str, object]:  # ! bad-run-signature
    return {}
