"""What the makers of random expressions share: choosing.  What a language's expressions look like is theirs."""
import random


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *choices):
        return self.random.choice(choices)

    def leaf(self, variables, literals, share):
        """A variable in that share of the cases."""
        return self.random.choice(variables if self.random.random() < share else literals)

    def mixed(self, one, other, *operators):
        """Both operands, in either order."""
        left, right = self.random.sample([one, other], 2)
        return f"({left} {self.pick(*operators)} {right})"

    def number(self, depth):
        return self.real(depth) if self.random.random() < 0.35 else self.integer(depth)


class JavaMaker(Maker):
    """Expressions of Java over variables that the heir names: REALS, REAL_LITERALS, TRUTHS; SHARE of the leaves are variables."""

    def real(self, depth):
        if depth <= 0:
            return self.leaf(self.REALS, self.REAL_LITERALS, self.SHARE)
        kind = self.random.randrange(8)
        if kind < 4:
            return self.mixed(self.real(depth - 1), self.number(depth - 1), "+", "-", "*", "/", "%")
        if kind == 4:
            return f"{self.pick('-', '+')} {self.real(depth - 1)}"
        if kind == 5:
            return f"(({self.pick('float', 'double')}) (+ {self.number(depth - 1)}))"
        if kind == 6:
            return f"({self.truth(depth - 1)} ? {self.real(depth - 1)} : {self.number(depth - 1)})"
        return self.real(depth - 1)

    def truth(self, depth):
        if depth <= 0:
            return self.random.choice(self.TRUTHS)
        kind = self.random.randrange(7)
        if kind < 3:
            # With two boxes == would compare their identity.
            return f"({self.number(depth - 1)} {self.pick('==', '!=', '<', '>', '<=', '>=')} + {self.number(depth - 1)})"
        if kind == 3:
            return f"({self.truth(depth - 1)} {self.pick('&&', '||', '&', '|', '^')} {self.truth(depth - 1)})"
        if kind == 4:
            return f"({self.truth(depth - 1)} {self.pick('==', '!=')} !{self.truth(depth - 1)})"
        if kind == 5:
            return f"!{self.truth(depth - 1)}"
        return f"({self.truth(depth - 1)} ? {self.truth(depth - 1)} : {self.truth(depth - 1)})"
