"""The books of a small lamp shop, and the three tools that a help desk may use on them.

A tool takes plain arguments and returns a JSON value. It raises ToolError where it cannot do as it was asked.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]

ORDERS: dict[str, Json] = {
    "LM-1001": {
        "customer": "Ada Brook",
        "status": "delivered",
        "days_since_delivery": 3,
        "items": [
            {"sku": "HARBOUR-LAMP", "name": "harbour lamp", "quantity": 1, "price": 64.0},
            {"sku": "WICK-SET", "name": "wick set", "quantity": 2, "price": 4.5},
        ],
    },
    "LM-1002": {
        "customer": "Ada Brook",
        "status": "shipped",
        "arrives": "Thursday",
        "items": [{"sku": "STORM-LANTERN", "name": "storm lantern", "quantity": 2, "price": 129.5}],
    },
    "LM-1003": {
        "customer": "Tomás Reyes",
        "status": "delivered",
        "days_since_delivery": 6,
        "items": [
            {"sku": "BALLROOM-CHANDELIER", "name": "ballroom chandelier", "quantity": 1, "price": 1840.0}
        ],
    },
    "LM-1004": {
        "customer": "Ines Weber",
        "status": "delivered",
        "days_since_delivery": 45,
        "items": [{"sku": "READING-LAMP", "name": "reading lamp", "quantity": 1, "price": 39.0}],
    },
}


class ToolError(Exception):
    """A tool could not do what it was asked to."""


class Shop:
    """The tools, on books of their own: what one conversation does to an order, no other one sees."""

    def __init__(self) -> None:
        self._orders = deepcopy(ORDERS)
        self._refunds = 0
        self._tickets = 0

    def look_up_order(self, order_id: str) -> Json:
        """The order: customer, status, items, and the total of their prices."""
        if order_id not in self._orders:
            raise ToolError(f"no order {order_id}")
        order = self._orders[order_id]
        return {**deepcopy(order), "total": sum(item["quantity"] * item["price"] for item in order["items"])}

    def refund(self, order_id: str, items: list[Json], amount: float, reason: str) -> Json:
        """Pay ``amount`` back for ``items``, each ``{sku, quantity}``; it must be what they were sold for."""
        sold = {item["sku"]: item for item in self._orders[order_id]["items"]}
        for item in items:
            if item["quantity"] > sold[item["sku"]]["quantity"]:
                raise ToolError(f"{order_id} has no {item['quantity']} of {item['sku']} left")
        if amount != sum(item["quantity"] * sold[item["sku"]]["price"] for item in items):
            raise ToolError(f"{amount:.2f} is not the price of these items")
        for item in items:
            sold[item["sku"]]["quantity"] -= item["quantity"]
        self._refunds += 1
        return {"refund_id": f"RF-{self._refunds:04}", "amount": amount, "reason": reason}

    def escalate(self, queue: str, priority: str, summary: str) -> Json:
        """Hand the conversation to a person."""
        self._tickets += 1
        return {"ticket": f"T-{self._tickets:04}", "queue": queue, "hours": 4 if priority == "high" else 24}
