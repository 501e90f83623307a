# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: good_reserved_words
import builtins as _builtins
from typing import NotRequired, TypedDict

class ClassNestedDeepItemImportValue(TypedDict):
    None_: NotRequired[str]  # JSON key "None"

class ClassNestedDeepItem(TypedDict):
    import_: NotRequired[dict[str, ClassNestedDeepItemImportValue]]  # JSON key "import"

class ClassNested(TypedDict):
    class_: NotRequired[str]  # JSON key "class"
    class__: NotRequired[str]  # JSON key "class_"
    class___: NotRequired[str]  # JSON key "class__"
    int: NotRequired[_builtins.int]
    deep: NotRequired[list[ClassNestedDeepItem]]

class ClassOutputItemsItem(TypedDict):
    from_: NotRequired[_builtins.str]  # JSON key "from"
    str: NotRequired[_builtins.str]

class ClassOutput(TypedDict):
    type_: str  # JSON key "type"
    items: NotRequired[list[ClassOutputItemsItem]]

class GoodReservedWords:
    def class_(
        _self,
        *,
        from_: str,
        self: str,
        type_: str = ...,
        ctx: str = ...,
        name: str = ...,
        print: str = ...,
        list: list[str] = ...,
        _: str = ...,
        nested: ClassNested = ...,
    ) -> ClassOutput:
        """
        class

        Args:
            from_: [JSON key "from"]
            type_: [JSON key "type"]

        (risk: side_effect)
        """
