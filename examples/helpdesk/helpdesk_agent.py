"""The help desk of a lamp shop: a small agent made of rules, with a memory and three tools.

There is no language model in it, so it answers at once and always alike. The rest is as in an agent that
has one: it reads a message, calls tools where it needs them, and remembers which orders it has looked up,
which of them the talk is about, the refund it has offered and waits for a yes to, and what it has paid back.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from helpdesk_shop import Json, Shop, ToolError

from holodeck_core import Reply, ToolCall, UserMessage

ORDER_NUMBER = re.compile(r"\bLM[- ]?(\d{4})\b", re.IGNORECASE)
WORD = re.compile(r"[a-z]+")
DAMAGE = re.compile(r"broke|burned|cracked|damaged", re.IGNORECASE)
WHICH_ORDER = "Which order is it about? Its number starts with LM."


def open_desk(refund_limit: float, return_days: int) -> HelpDesk:
    """A new conversation. Both settings stand under ``model`` in agent.yaml."""
    return HelpDesk(refund_limit, return_days)


@dataclass(frozen=True)
class Offer:
    """A refund that the customer has yet to agree to."""

    order_id: str
    items: list[Json]
    amount: float
    reason: str


class HelpDesk:
    """One conversation."""

    def __init__(self, refund_limit: float, return_days: int) -> None:
        self._refund_limit = refund_limit
        self._return_days = return_days
        self._shop = Shop()
        self._calls: list[ToolCall] = []
        self._orders: dict[str, Json] = {}
        self._paid_back: dict[str, float] = {}
        self._topic: list[str] = []
        self._offer: Offer | None = None

    def send(self, message: UserMessage) -> Reply:
        """Answer one message."""
        self._calls = []
        text = self._answer(message.text)
        return Reply(text=text, tool_calls=self._calls)

    def _answer(self, text: str) -> str:
        numbers = [f"LM-{digits}" for digits in ORDER_NUMBER.findall(text)]
        for order_id in numbers:
            if not self._knows(order_id):
                return f"I cannot find an order {order_id}. Could you check the number?"
        self._topic = numbers or self._topic
        words = set(WORD.findall(text.lower()))
        for known, answer in self._rules():
            if known & words:
                return answer(text)
        return (
            self._tell_status(text)
            if numbers
            else "I can look up an order, arrange a refund, or call a colleague."
        )

    def _rules(self) -> list[tuple[set[str], Callable[[str], str]]]:
        """Words to listen for, and who answers them. The first rule that hears one of its words speaks."""
        return [
            ({"human", "person", "manager"}, self._call_colleague),
            ({"yes"} if self._offer else set(), self._pay_back),
            ({"no"} if self._offer else set(), self._drop_offer),
            ({"share", "percentage"}, self._tell_share),
            ({"refund", "return", "money"}, self._offer_refund),
            ({"cost", "total", "price"}, self._tell_price),
            ({"open", "hours"}, lambda _: "We are open from Monday to Friday, 9 to 17."),
            ({"where", "when", "arrive"}, self._tell_status),
            ({"thanks", "thank"}, self._take_leave),
        ]

    def _use(self, tool: Callable[..., Json], **args: object) -> Json | None:
        """Call a tool and note the call, whether it works or not. None where it does not."""
        try:
            result = tool(**args)
        except ToolError as error:
            self._calls.append(ToolCall(name=tool.__name__, args=args, error=str(error)))
            return None
        self._calls.append(ToolCall(name=tool.__name__, args=args, result=result))
        return result

    def _knows(self, order_id: str) -> bool:
        """Whether there is such an order; it is looked up once and remembered."""
        if order_id not in self._orders:
            order = self._use(self._shop.look_up_order, order_id=order_id)
            if order is None:
                return False
            self._orders[order_id] = order
        return True

    def _tell_status(self, text: str) -> str:
        return " ".join(map(self._status, self._topic)) or WHICH_ORDER

    def _status(self, order_id: str) -> str:
        order = self._orders[order_id]
        label = f"{order_id} ({in_words(order['items'])})"
        if order["status"] == "shipped":
            return f"{label} is on its way and should arrive on {order['arrives']}."
        return f"{label} was delivered {order['days_since_delivery']} days ago."

    def _tell_price(self, text: str) -> str:
        if not self._topic:
            return WHICH_ORDER
        total = sum(self._orders[order_id]["total"] for order_id in self._topic)
        return (
            f"{total:,.2f}" if "number" in text else f"{' and '.join(self._topic)}: {total:,.2f} EUR in all."
        )

    def _tell_share(self, text: str) -> str:
        if not self._topic:
            return WHICH_ORDER
        order_id = self._topic[-1]
        return f"{self._paid_back.get(order_id, 0) / self._orders[order_id]['total']:.1%}"

    def _offer_refund(self, text: str) -> str:
        """Check the rules of the house; offer what may be refunded, and leave the rest to a colleague."""
        if not self._topic:
            return WHICH_ORDER
        order_id = self._topic[-1]
        order = self._orders[order_id]
        if order["status"] == "shipped":
            return f"{order_id} is still on its way. I can refund it once it has arrived."
        if order["days_since_delivery"] > self._return_days:
            days = order["days_since_delivery"]
            return (
                f"Returns are possible for {self._return_days} days, and {order_id} arrived {days} days ago."
            )
        items = chosen(order["items"], text.lower())
        if not items:
            return f"All of {order_id} has been refunded already."
        amount = sum(item["quantity"] * item["price"] for item in items)
        if amount > self._refund_limit:
            summary = f"Refund of {amount:,.2f} EUR for {order_id}"
            return (
                f"{amount:,.2f} EUR is more than I may refund. {self._hand_over('refunds', 'high', summary)}"
            )
        reason = "damaged" if DAMAGE.search(text) else "changed mind"
        self._offer = Offer(order_id, items, amount, reason)
        return f"I can refund {in_words(items)}, {amount:.2f} EUR. Shall I?"

    def _pay_back(self, text: str) -> str:
        offer, self._offer = self._offer, None
        assert offer is not None
        result = self._use(
            self._shop.refund,
            order_id=offer.order_id,
            items=[{"sku": item["sku"], "quantity": item["quantity"]} for item in offer.items],
            amount=offer.amount,
            reason=offer.reason,
        )
        if result is None:
            return self._hand_over("refunds", "normal", f"Refund for {offer.order_id} failed")
        left = {item["sku"]: item for item in self._orders[offer.order_id]["items"]}
        for item in offer.items:
            left[item["sku"]]["quantity"] -= item["quantity"]
        self._paid_back[offer.order_id] = self._paid_back.get(offer.order_id, 0) + offer.amount
        return f"Done: {offer.amount:.2f} EUR are on their way back to you ({result['refund_id']})."

    def _drop_offer(self, text: str) -> str:
        self._offer = None
        return "All right, everything stays as it is."

    def _call_colleague(self, text: str) -> str:
        priority = "high" if "manager" in text.lower() else "normal"
        return self._hand_over("people", priority, f"{', '.join(self._topic) or 'no order'}: {text}")

    def _hand_over(self, queue: str, priority: str, summary: str) -> str:
        ticket = self._use(self._shop.escalate, queue=queue, priority=priority, summary=summary)
        assert ticket is not None
        return f"A colleague will write to you within {ticket['hours']} hours (ticket {ticket['ticket']})."

    def _take_leave(self, text: str) -> str:
        name = f", {self._orders[self._topic[-1]]['customer'].split()[0]}" if self._topic else ""
        return f"You are welcome{name}!"


def in_words(items: list[Json]) -> str:
    """``1 × harbour lamp, 2 × wick set``."""
    return ", ".join(f"{item['quantity']} × {item['name']}" for item in items)


def chosen(items: list[Json], text: str) -> list[Json]:
    """What a message asks to return: the items that it names, else all; one of each where it says "one"."""
    left = [item for item in items if item["quantity"]]
    named = [item for item in left if any(word in text for word in item["name"].split())]
    return [{**item, "quantity": 1} if "one" in WORD.findall(text) else dict(item) for item in named or left]
