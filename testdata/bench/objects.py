"""Objects: classes, attributes, properties, inheritance, dataclasses, slots, operators."""

from dataclasses import dataclass, replace


class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __hash__(self):
        return hash((self.x, self.y))


class Account:
    fee = 1

    def __init__(self, owner):
        self.owner, self._balance, self.log = owner, 0, []

    @property
    def balance(self):
        return self._balance

    def pay(self, amount):
        self._balance += amount - self.fee
        self.log.append(amount)


class Savings(Account):
    fee = 0

    def pay(self, amount):
        super().pay(amount)
        if self.balance > 1000:
            self._balance -= 1000


@dataclass(frozen=True, order=True)
class Point:
    a: int
    b: int = 0
    name: str = "p"


def run(ctx):
    at = Vector(0, 0)
    for i in range(14000):
        at = at + Vector(i, -1)
    seen = {Vector(i % 50, i % 20) for i in range(4000)}
    accounts = [Savings(i) if i % 2 else Account(i) for i in range(100)]
    for i in range(20000):
        accounts[i % 100].pay(i % 13)
    points = sorted(Point(i * 31 % 211, i) for i in range(1500))
    moved = [replace(p, b=p.b + 1) for p in points]
    return f"{at.x} {at.y} {len(seen)} {sum(a.balance for a in accounts)} {moved[700].b} {points[3]}"
