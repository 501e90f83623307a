from typing import Literal, NotRequired, TypedDict

class FindContactOutput(TypedDict):
    found: bool
    id: NotRequired[str]
    tags: list[str]

class Crm:
    def find_contact(self, *, email: str, kind: Literal["person", "company"] = ..., limit: int = ...) -> FindContactOutput:
        """Finds a contact.

        (risk: read_only)
        """
    def search(self, *, query: str) -> list[FindContactOutput]: ...
    def ping(self) -> None: ...
