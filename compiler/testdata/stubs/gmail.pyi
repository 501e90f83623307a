from typing import NotRequired, TypedDict

SearchMessagesOutputItem = TypedDict("SearchMessagesOutputItem", {"id": str, "from": str, "reply-to": NotRequired[str | None]})

class Gmail:
    def search_messages(self, *, query: str, max_results: int = ...) -> list[SearchMessagesOutputItem]: ...
    def send_email(self, *, to: list[str], subject: str, body: str = ..., from_: str = ...) -> dict[str, object]:
        """from_: from on the wire"""
