from runlace_types import Ctx


class Refused(Exception):
    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self._reason = reason

    def __str__(self) -> str:
        return self._reason


def run(ctx: Ctx) -> dict[str, object]:
    return {"x": str(Refused("x")), "name": __name__, "text": "__class__"}
