"""The extended isolation forest of its authors in plain Python, random numbers included."""

import math

MASK = 2**64 - 1


class Stream:
    """std::mt19937_64 with the distributions of the GNU C++ library."""

    def __init__(self, seed):
        self.state = [seed]
        for i in range(1, 312):
            last = self.state[-1]
            self.state.append((6364136223846793005 * (last ^ (last >> 62)) + i) & MASK)
        self.position = 312

    def bits(self):
        if self.position == 312:
            for i in range(312):
                joined = (self.state[i] & 0xFFFFFFFF80000000) | (
                    self.state[(i + 1) % 312] & 0x7FFFFFFF
                )
                self.state[i] = self.state[(i + 156) % 312] ^ (joined >> 1)
                if joined & 1:
                    self.state[i] ^= 0xB5026F5AA96619E9
            self.position = 0
        x = self.state[self.position]
        self.position += 1
        x ^= (x >> 29) & 0x5555555555555555
        x ^= (x << 17) & 0x71D67FFFEDA60000
        x ^= (x << 37) & 0xFFF7EEE000000000
        return x ^ (x >> 43)

    def uniform(self):
        return min(float(self.bits()) / 2.0**64, math.nextafter(1.0, 0.0))

    def normal(self):
        while True:
            x, y = 2 * self.uniform() - 1, 2 * self.uniform() - 1
            squared = x * x + y * y
            if 0 < squared <= 1:
                return y * math.sqrt(-2 * math.log(squared) / squared)

    def below(self, bound):
        while True:
            product = self.bits() * bound
            if product & MASK >= (2**64 - bound) % bound:
                return product >> 64

    def choice(self, count, total):
        chosen = set()
        for bound in range(total - count + 1, total + 1):
            item = self.below(bound)
            chosen.add(bound - 1 if item in chosen else item)
        for _ in range(count // 2 if count % 2 == 0 else (count - 1) // 2):
            self.bits()
        return sorted(chosen)


def average_path(count):
    if count <= 1:
        return 0.0
    return 2 * (math.log(count - 1) + 0.5772156649) - 2 * (count - 1) / count


def grow(rows, height, limit, extension, stream):
    m = len(rows[0]) if rows else 0
    if height >= limit or len(rows) <= 1:
        return height + average_path(len(rows))
    low = [min(x[j] for x in rows) for j in range(m)]
    high = [max(x[j] for x in rows) for j in range(m)]
    point = [stream.uniform() * (high[j] - low[j]) + low[j] for j in range(m)]
    normal = [stream.normal() for _ in range(m)]
    for j in stream.choice(m - extension - 1, m):
        normal[j] = 0.0
    intercept = math.fsum(p * w for p, w in zip(point, normal, strict=True))
    sides = [[], []]
    for x in rows:
        sides[
            0 if math.fsum(a * w for a, w in zip(x, normal, strict=True)) < intercept else 1
        ].append(x)
    left = grow(sides[0], height + 1, limit, extension, stream)
    return normal, intercept, left, grow(sides[1], height + 1, limit, extension, stream)


def path(tree, row):
    while isinstance(tree, tuple):
        normal, intercept, left, right = tree
        value = math.fsum(a * w for a, w in zip(row, normal, strict=True))
        tree = left if value < intercept else right
    return tree


def scores(training, rows, trees, subsample, extension, seed):
    training = [list(map(float, x)) for x in training]
    subsample = min(subsample, len(training))
    limit = math.ceil(math.log2(subsample))
    forest = []
    for i in range(trees):
        stream = Stream(seed + i)
        part = [training[j] for j in stream.choice(subsample, len(training))]
        forest.append(grow(part, 0, limit, extension, stream))
    result = []
    for row in rows:
        mean = sum(path(tree, list(map(float, row))) for tree in forest) / trees
        result.append(1 - 2 ** (-mean / average_path(subsample)))
    return result
