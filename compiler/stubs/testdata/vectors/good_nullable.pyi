# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: good_nullable
from typing import Literal, TypedDict

class NullableOutput(TypedDict):
    ok: bool

class GoodNullable:
    def nullable(self, *, a: str | None = ..., b: int | None = ..., c: str | None = ..., d: Literal["x"] | None = ...) -> NullableOutput:
        """
        nullable

        (risk: side_effect)
        """
