"""Every refusal that the API can answer: one table, and the exception that is raised.

The table says the same as `components/x-problems` of the contract, where each code is
explained and where the `type` of a problem points (RFC 9457).
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

TYPE: Final = "/v1/openapi.json#/components/x-problems/"


class Kind(NamedTuple):
    """What all problems of one code have in common."""

    status: int
    title: str


KINDS: Final[Mapping[str, Kind]] = {
    "malformed_request": Kind(400, "This is not HTTP"),
    "malformed_json": Kind(400, "The body is not JSON"),
    "idempotency_key_missing": Kind(400, "Idempotency-Key is missing"),
    "idempotency_key_malformed": Kind(400, "Idempotency-Key is malformed"),
    "if_match_malformed": Kind(400, "If-Match is malformed"),
    "unauthenticated": Kind(401, "A good credential is needed"),
    "token_expired": Kind(401, "The token has expired"),
    "insufficient_funds": Kind(402, "The player has too little"),
    "forbidden": Kind(403, "This credential may not do that"),
    "player_stopped": Kind(403, "No new money is taken"),
    "session_over": Kind(403, "The session is over"),
    "table_not_in_session": Kind(403, "The session is for other tables"),
    "pin_wrong": Kind(403, "That is another PIN"),
    "wallet_refused": Kind(403, "The operator's wallet refuses"),
    "not_sandbox": Kind(403, "Only a sandbox names its cards"),
    "not_found": Kind(404, "There is nothing here"),
    "table_not_found": Kind(404, "There is no such table"),
    "jackpot_not_found": Kind(404, "There is no such jackpot"),
    "operator_not_found": Kind(404, "There is no such operator"),
    "not_analysed": Kind(404, "The table was not analysed"),
    "round_not_found": Kind(404, "There is no such round"),
    "session_not_found": Kind(404, "There is no such session"),
    "method_not_allowed": Kind(405, "That method is not used here"),
    "not_acceptable": Kind(406, "That form is not served here"),
    "request_too_slow": Kind(408, "The request took too long"),
    "round_open_exists": Kind(409, "A round is open on this table"),
    "wallet_pending": Kind(409, "The round waits for the wallet"),
    "no_last_round": Kind(409, "There is nothing to bet again"),
    "table_disabled": Kind(409, "The table takes no new rounds"),
    "table_shared": Kind(409, "This table is shared"),
    "currency_mismatch": Kind(409, "The token is for another currency"),
    "currency_unknown": Kind(409, "There is no such currency"),
    "currency_not_offered": Kind(409, "The table does not offer this currency"),
    "box_not_offered": Kind(409, "The table has no such box"),
    "box_repeated": Kind(409, "A box is named twice"),
    "wager_below_minimum": Kind(409, "A wager is below the minimum"),
    "wager_above_maximum": Kind(409, "A wager is above the maximum"),
    "wager_above_own_limit": Kind(409, "A wager is above the player's own limit"),
    "wager_off_step": Kind(409, "A wager is off the table's step"),
    "bonus_not_offered": Kind(409, "The table has no bonus bet"),
    "bonus_wager_wrong": Kind(409, "The bonus wager has another amount"),
    "exposure_exceeded": Kind(409, "The round could stake too much"),
    "cards_not_in_shoe": Kind(409, "The shoe has fewer of a card"),
    "insurance_open": Kind(409, "Insurance must be answered first"),
    "insurance_not_open": Kind(409, "Insurance is not offered"),
    "insurance_answered": Kind(409, "Insurance is answered already"),
    "insurance_all_or_none": Kind(409, "Insure every box or none"),
    "box_not_yours": Kind(409, "That box is not yours"),
    "action_not_legal": Kind(409, "That action is not legal now"),
    "round_not_decided": Kind(409, "The round is not decided yet"),
    "round_decided": Kind(409, "The round is decided"),
    "round_settled": Kind(409, "The round is settled"),
    "round_void": Kind(409, "The round is void"),
    "round_malfunction": Kind(409, "The round has malfunctioned"),
    "round_expired": Kind(409, "The round has expired"),
    "proof_not_ready": Kind(409, "The shoe is not finished"),
    "pin_not_set": Kind(409, "The player has no PIN"),
    "limit_raise_used": Kind(409, "One raise a week"),
    "sandbox_only": Kind(409, "A sandbox plays for demo money"),
    "not_demo": Kind(409, "This is no demo money"),
    "not_ledger": Kind(409, "The operator's wallet keeps this money"),
    "reference_reused": Kind(409, "The reference stands for another transfer"),
    "balance_too_large": Kind(409, "The balance would be too large"),
    "version_stale": Kind(412, "The round has moved on"),
    "body_too_large": Kind(413, "The body is too large"),
    "uri_too_long": Kind(414, "The address is too long"),
    "unsupported_media_type": Kind(415, "The body must be JSON"),
    "expectation_failed": Kind(417, "That Expect can't be met"),
    "invalid": Kind(422, "The request breaks the contract"),
    "idempotency_key_reused": Kind(422, "The key was used for another request"),
    "if_match_missing": Kind(428, "If-Match is missing"),
    "pin_locked": Kind(429, "The PIN is locked"),
    "pin_busy": Kind(429, "Too many PINs at a time"),
    "headers_too_large": Kind(431, "The headers are too large"),
    "internal_error": Kind(500, "Something is wrong here"),
    "transfer_coding_unknown": Kind(501, "That Transfer-Encoding is not read"),
    "archive_unavailable": Kind(503, "The round's archive is away"),
    "database_unavailable": Kind(503, "The service can't reach its database"),
}


class Problem(Exception):
    """A request is refused, and nothing has happened.

    `detail` is for people. `members` are the problem's further keys, as the contract
    names them: reason, errors, legal_actions, round, required and so on.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        headers: Mapping[str, str] | None = None,
        **members: Any,  # noqa: ANN401 - JSON
    ) -> None:
        super().__init__(code)
        self.code: Final = code
        self.detail: Final = detail
        self.headers: Final = headers or {}
        self.members: Final = members

    @property
    def status(self) -> int:
        """The HTTP status."""
        return KINDS[self.code].status

    def body(self, request_id: str) -> dict[str, Any]:
        """Return the JSON of the problem, as one of the request with that id."""
        kind = KINDS[self.code]
        return {
            "type": TYPE + self.code,
            "title": kind.title,
            "status": kind.status,
            "detail": self.detail,
            "instance": f"urn:uuid:{request_id}",
            "code": self.code,
            **self.members,
        }
