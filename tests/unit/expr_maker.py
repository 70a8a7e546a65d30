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
