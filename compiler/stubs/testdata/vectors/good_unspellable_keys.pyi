# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: good_unspellable_keys
from typing import NotRequired, TypedDict

SendEmailHeadersABItem = TypedDict("SendEmailHeadersABItem", {
    "x-y": str,
})

SendEmailHeaders = TypedDict("SendEmailHeaders", {
    "content-type": str,
    "class_": NotRequired[str],  # JSON key "class"
    "a b": NotRequired[list[SendEmailHeadersABItem]],
})

SendEmailOutput = TypedDict("SendEmailOutput", {
    "x-id": int,
    "type_": NotRequired[str],  # JSON key "type"
})

class GoodUnspellableKeys:
    def send_email(
        self,
        *,
        content_type: str,
        cik_A_ee6d: str = ...,
        cik_A: str = ...,
        StartTime: str = ...,
        StartTime_lt: str = ...,
        StartTime_gt: str = ...,
        filter: str = ...,
        odata_type: str = ...,
        typename: str = ...,
        日本: str = ...,
        plus_1: int = ...,
        n1_1bad: int = ...,
        n1_6b86: int = ...,
        parameter_e3b0c4: str = ...,
        headers: SendEmailHeaders = ...,
    ) -> SendEmailOutput:
        """
        send-email

        Args:
            content_type: [JSON key "content-type"]
            cik_A_ee6d: [JSON key "cik-A"]
            StartTime_lt: [JSON key "StartTime<"]
            StartTime_gt: [JSON key "StartTime>"]
            filter: [JSON key "$filter"]
            odata_type: [JSON key "@odata.type"]
            typename: [JSON key "__typename"]
            plus_1: [JSON key "+1"]
            n1_1bad: [JSON key "-1"]
            n1_6b86: [JSON key "1"]
            parameter_e3b0c4: [JSON key ""]

        (risk: side_effect)
        """
