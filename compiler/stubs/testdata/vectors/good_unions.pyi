# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: good_unions
from typing import Literal, TypedDict

class UnionsShapeCircle(TypedDict):
    kind: Literal["circle"]
    radius: float

class UnionsShapeSquare(TypedDict):
    kind: Literal["square"]
    side: float

class UnionsOutputOk(TypedDict):
    status: Literal["ok"]
    value: int

class UnionsOutputError(TypedDict):
    status: Literal["error"]
    message: str

class GoodUnions:
    def unions(
        self,
        *,
        shape: UnionsShapeCircle | UnionsShapeSquare,
        id: str | int = ...,
        many: str | list[str] = ...,
        same: str = ...,
        numbers: float = ...,
        one: str = ...,
    ) -> UnionsOutputOk | UnionsOutputError:
        """
        unions

        (risk: side_effect)
        """
