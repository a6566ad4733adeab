"""Numbers of `hubsim fit`: bounded least squares on measured slopes, and what these say about the answer.

Values are in shares of their range, 0 to 1. Misses are in tolerances of their rows. A row is an interval: what lies
inside costs nothing.
"""
import numpy as np
from scipy.optimize import least_squares

STILL = 1e-4  # tolerances that a step over a whole range costs: what no row sees stays where it is
GAIN = 1e-4  # squared tolerances that are not worth another step
ALIKE = 0.1  # smallest singular value of slopes of unit length: below, 99 % of what two values do is the same
ALONE = 0.99  # share of the rows' weight on a value


class Target:
    """What rows ask for: `low` to `high`, and a tolerance, which is a share of these. A row that is a `point`, and not a
    bound, says something about values even where it is met."""

    def __init__(self, low, high, tolerance, point):
        self.low, self.high, self.tolerance = (np.asarray(x, float) for x in (low, high, tolerance))
        self.point = np.asarray(point, bool)

    def errors(self, simulated):
        """Relative, 0 inside of the interval."""
        above = np.where(simulated > self.high, simulated / self.high - 1, 0)
        return np.where(simulated < self.low, simulated / self.low - 1, above)

    def misses(self, simulated):
        return self.errors(simulated) / self.tolerance

    def scale(self, simulated):
        """What turns a change of the simulated value into tolerances."""
        nearer = np.where(np.abs(simulated - self.low) <= np.abs(simulated - self.high), self.low, self.high)
        return 1 / (nearer * self.tolerance)

    def only(self, rows):
        return Target(self.low[rows], self.high[rows], self.tolerance[rows], self.point[rows])


def cost(target, simulated):
    return float(np.sum(target.misses(simulated) ** 2))


def step(target, simulated, slopes, at, reach):
    """The best step from `at`, not longer than `reach` in any value, where slopes stay as they are."""
    low, high = np.maximum(-reach, -at), np.minimum(reach, 1 - at)
    still = STILL * np.eye(len(at))

    def misses(move):
        return np.concatenate([target.misses(simulated + slopes @ move), still @ move])

    def gradient(move):
        there = simulated + slopes @ move
        missed = (target.misses(there) != 0) * target.scale(there)
        return np.vstack([slopes * missed[:, None], still])

    room = high - low > 1e-12
    begin = np.clip(0, low + 1e-9 * room, high - 1e-9 * room)
    if not room.all():
        low, high = low - (~room) * 1e-12, high + (~room) * 1e-12
    found = least_squares(misses, begin, gradient, (low, high), xtol=1e-12, ftol=1e-12, gtol=1e-12)
    return np.clip(found.x, low, high)


def minimise(measure, measure_slopes, target, at, rounds, accuracy):
    """`measure(at)` and `measure_slopes(at, simulated)` ask the simulator. @return at, simulated, slopes, costs"""
    simulated, reach = measure(at), 1.0
    slopes, costs = measure_slopes(at, simulated), [cost(target, simulated)]
    for _ in range(rounds):
        while True:
            move = step(target, simulated, slopes, at, reach)
            if np.max(np.abs(move)) < accuracy or costs[-1] - cost(target, simulated + slopes @ move) < GAIN:
                return at, simulated, slopes, costs
            there = measure(at + move)
            if cost(target, there) < costs[-1]:
                break
            reach = np.max(np.abs(move)) / 2
        at, simulated, reach = at + move, there, min(1.0, 2 * reach)
        slopes = measure_slopes(at, simulated)
        costs.append(cost(target, simulated))
    return at, simulated, slopes, costs


class Certainty:
    """What the rows say about values near the answer."""

    def __init__(self, target, simulated, slopes):
        counts = target.point | (target.misses(simulated) != 0)
        self.slopes = slopes * (counts * target.scale(simulated))[:, None]
        rows, values = slopes.shape
        self.length = np.linalg.norm(self.slopes, axis=0)
        unit = self.slopes / np.where(self.length > 0, self.length, 1)
        _, singular, self.turned = np.linalg.svd(unit, full_matrices=True)
        self.singular = np.concatenate([singular, np.zeros(values - len(singular))])
        spare = max(rows - values, 1)
        self.spread = max(1.0, float(np.sqrt(cost(target, simulated) / spare)))
        inverse = np.where(self.singular > 1e-6, 1 / np.maximum(self.singular, 1e-6), 0) ** 2
        scaled = self.turned.T * inverse @ self.turned
        length = np.where(self.length > 0, self.length, np.inf)
        self.covariance = scaled / np.outer(length, length)
        unseen = self.singular <= 1e-6
        self.lost = np.any(np.abs(self.turned[unseen]) > 1e-3, axis=0)

    def reach(self):
        """Half of each value's 95 % interval, as a share of its range."""
        return np.where(self.lost, np.inf, 1.96 * self.spread * np.sqrt(np.diag(self.covariance)))

    def shares(self):
        """By row and value: the row's part in what fixes the value. Each value's parts make 1."""
        parts = (self.slopes @ self.covariance) ** 2
        return parts / np.maximum(parts.sum(axis=0), 1e-300)

    def alike(self):
        """Moves of values, as shares of ranges, that rows hardly see; the largest is 1. And the singular values."""
        found = []
        for size, direction in zip(self.singular, self.turned):
            if size < ALIKE:
                move = direction / np.where(self.length > 0, self.length, np.inf)
                move[np.abs(direction) < 0.2] = 0
                if np.count_nonzero(move) > 1:
                    found.append((size, move / move[np.argmax(np.abs(move))]))
        return found


def leave_out(target, simulated, slopes, at, rows):
    """What `rows` would be if the others alone had been fitted to."""
    others = np.setdiff1d(np.arange(len(simulated)), rows)
    move = step(target.only(others), simulated[others], slopes[others], at, 1.0)
    return simulated[rows] + slopes[rows] @ move
