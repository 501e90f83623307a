# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: good_recursion
from typing import NotRequired, TypedDict

type JSONValue = str | float | bool | list[JSONValue] | dict[str, JSONValue] | None

class JsonValueOutput(TypedDict):
    value: JSONValue

type M = list[float | M]

class MatrixOutput(TypedDict):
    ok: bool

class B(TypedDict):
    a: NotRequired[A]

class A(TypedDict):
    b: NotRequired[B]

class Root(TypedDict):
    sub: NotRequired[list[Root]]
    q: str

class Node(TypedDict):
    name: str
    children: NotRequired[list[Node]]
    parent: NotRequired[Node | None]

class Node2(TypedDict):
    name: str
    children: list[Node2]

class GoodRecursion:
    def json_value(self, *, value: JSONValue) -> JsonValueOutput:
        """
        json_value

        (risk: side_effect)
        """

    def matrix(self, *, m: M = ...) -> MatrixOutput:
        """
        matrix

        (risk: side_effect)
        """

    def mutual(self, *, a: A = ...) -> MatrixOutput:
        """
        mutual

        (risk: side_effect)
        """

    def root(self, *, q: str, sub: list[Root] = ...) -> MatrixOutput:
        """
        root

        (risk: side_effect)
        """

    def tree(self, *, node: Node = ...) -> Node2:
        """
        tree

        (risk: side_effect)
        """
