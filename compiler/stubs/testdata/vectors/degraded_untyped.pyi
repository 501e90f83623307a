# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: degraded_untyped
# Not typed in full:
#   untyped input/properties/a: the schema does not say which type this is (no-type)
#   untyped input/properties/b: the schema does not say which type this is (no-type)
#   untyped input/properties/c: the schema does not say which type this is (no-type)
#   untyped input/properties/d: the schema does not say what the list holds (no-items)
#   untyped input/properties/e: the schema does not say which keys the object has (free-form)
#   untyped input/properties/f: the schema does not say what the list holds (no-type)
#   untyped input/properties/g: the schema does not say which type this is (no-positive-type)
#   untyped input/properties/h/anyOf/1: the schema does not say which type this is (no-type)
#   untyped input/properties/i/items: the schema does not say which keys the object has (free-form)
#   untyped output/properties/a: the schema does not say which type this is (no-type)
#   and 2 more: runlace tools --problems
from typing import Any, Literal, Never, NotRequired, TypedDict

class UntypedK(TypedDict):
    a: Literal[1]

class UntypedOutput(TypedDict):
    a: Any
    d: NotRequired[list[Any]]
    e: NotRequired[dict[str, Any]]

class DegradedUntyped:
    def untyped(
        self,
        *,
        a: object,
        b: object = ...,
        c: object = ...,
        d: list[Any] = ...,
        e: dict[str, Any] = ...,
        f: list[Any] = ...,
        g: object = ...,
        h: object = ...,
        i: list[dict[str, Any]] = ...,
        j: Never = ...,
        k: Literal["x"] | UntypedK = ...,
    ) -> UntypedOutput:
        """
        untyped

        Args:
            c: anything

        (risk: side_effect)
        """

# Problems:
# untyped input/properties/a: the schema does not say which type this is (no-type)
# untyped input/properties/b: the schema does not say which type this is (no-type)
# untyped input/properties/c: the schema does not say which type this is (no-type)
# untyped input/properties/d: the schema does not say what the list holds (no-items)
# untyped input/properties/e: the schema does not say which keys the object has (free-form)
# untyped input/properties/f: the schema does not say what the list holds (no-type)
# untyped input/properties/g: the schema does not say which type this is (no-positive-type)
# untyped input/properties/h/anyOf/1: the schema does not say which type this is (no-type)
# untyped input/properties/i/items: the schema does not say which keys the object has (free-form)
# untyped output/properties/a: the schema does not say which type this is (no-type)
# untyped output/properties/d: the schema does not say what the list holds (no-items)
# untyped output/properties/e: the schema does not say which keys the object has (free-form)
