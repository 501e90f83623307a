# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: degraded_bad_keywords
# Not typed in full:
#   bad input/required: required is null and no list; it is ignored (bad-keyword)
#   bad input/properties/a/type: type is an object and no name of a type; it is ignored (bad-keyword)
#   bad input/properties/b/type: type names "strng", which is no type; it is ignored (bad-keyword)
#   bad input/properties/c/enum: enum is null and no list; it is ignored (bad-keyword)
#   bad input/properties/d/enum: enum is empty, so that no value would do; it is ignored (bad-keyword)
#   bad input/properties/e: a schema is an object or a boolean, and this is a number (not-a-schema)
#   bad input/properties/f/items: items is null; it is ignored (bad-keyword)
#   bad input/properties/g/minLength: minLength is no number of things; it is ignored (bad-keyword)
#   bad input/properties/k/pattern: the pattern "(?=x)" is not checked: invalid or unsupported Perl syntax: (?= (unsupported-pattern)
#   bad input/properties/f: the schema does not say what the list holds (no-items)
#   and 8 more: runlace tools --problems
from typing import Any, Literal, Never, NotRequired, TypedDict

class BadOutput(TypedDict):
    x: NotRequired[Any]

class RequiresUnknownOutput(TypedDict):
    ok: bool

class DegradedBadKeywords:
    def bad(
        self,
        *,
        h: str,
        a: object = ...,
        b: object = ...,
        c: str = ...,
        d: object = ...,
        e: object = ...,
        f: list[Any] = ...,
        g: str = ...,
        i: Literal["a", "b"] = ...,
        j: Never = ...,
        k: str = ...,
    ) -> BadOutput:
        """
        bad

        (risk: side_effect)
        """

    def list_result(self) -> list[str]:
        """
        list_result

        (risk: side_effect)
        """

    def misplaced(self, **extra: Any) -> Any:
        """
        misplaced

        (risk: side_effect)
        """

    def not_object(self) -> Any:
        """
        not_object

        (risk: side_effect)
        """

    def requires_unknown(self, *, a: str, ghost: object) -> RequiresUnknownOutput:
        """
        requires_unknown

        (risk: side_effect)
        """

    def requires_unknown_closed(self, *, a: str) -> RequiresUnknownOutput:
        """
        requires_unknown_closed

        (risk: side_effect)
        """

# Problems:
# bad input/required: required is null and no list; it is ignored (bad-keyword)
# bad input/properties/a/type: type is an object and no name of a type; it is ignored (bad-keyword)
# bad input/properties/b/type: type names "strng", which is no type; it is ignored (bad-keyword)
# bad input/properties/c/enum: enum is null and no list; it is ignored (bad-keyword)
# bad input/properties/d/enum: enum is empty, so that no value would do; it is ignored (bad-keyword)
# bad input/properties/e: a schema is an object or a boolean, and this is a number (not-a-schema)
# bad input/properties/f/items: items is null; it is ignored (bad-keyword)
# bad input/properties/g/minLength: minLength is no number of things; it is ignored (bad-keyword)
# bad input/properties/h: required is inside of the property: read as required of the object (legacy-keyword)
# bad input/properties/k/pattern: the pattern "(?=x)" is not checked: invalid or unsupported Perl syntax: (?= (unsupported-pattern)
# bad input/properties/f: the schema does not say what the list holds (no-items)
# bad input/properties/i/anyOf/1: no value fits what is said here (impossible)
# bad input/properties/j: no value fits what is said here (impossible)
# bad output/properties/x/type: type is an object and no name of a type; it is ignored (bad-keyword)
# misplaced input/query: "query" looks like a property and is not in properties (misplaced-key)
# misplaced output: the server does not say what the tool returns (no-output-schema)
# not_object input: arguments are an object, and the schema allows something else (not-an-object)
# not_object output: the server does not say what the tool returns (no-output-schema)
# requires_unknown input/required: "ghost" is required and not among the properties (required-unknown)
# requires_unknown input: the schema does not say which type this is (no-type)
# requires_unknown_closed input/required: "ghost" is required and not among the properties (required-unknown)
