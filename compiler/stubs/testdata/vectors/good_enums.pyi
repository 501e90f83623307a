# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: good_enums
from typing import Literal, TypedDict

class EnumsOutput(TypedDict):
    ok: bool

class GoodEnums:
    def enums(
        self,
        *,
        kind: Literal["and"],
        phases: Literal[0, 1, 3] = ...,
        mixed: Literal[1, "auto"] = ...,
        unit: Literal["m", "ft", "line\nbreak", "say \"x\"", "\u202e"] = ...,
        flag: Literal[True] = ...,
        none: None = ...,
        float: float = ...,
        default: Literal["a", "b"] = ...,
    ) -> EnumsOutput:
        """
        enums

        Args:
            float: (one of 1.5)
            default: (default "b")

        (risk: side_effect)
        """
