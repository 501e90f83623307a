# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: good_primitives
from typing import TypedDict

class PrimitivesOutput(TypedDict):
    ok: bool

class GoodPrimitives:
    def primitives(
        self,
        *,
        b: bool,
        s: str = ...,
        i: int = ...,
        n: float = ...,
        z: None = ...,
        l: list[str] = ...,
        m: dict[str, int] = ...,
    ) -> PrimitivesOutput:
        """
        Ends with a quote: say "hi"

        (risk: read_only)
        """
