"""What the scripts beside it share: tables and files of pictures, and the line that says what is wrong."""
import csv
import sys
import textwrap

TITLE_LETTERS = 84  # of 10 points, in a line over a picture of 6.4 inches

UNDATED = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}  # equal data give equal files


def attempt(name, path, expected, work, *arguments):
    """What `work` returns; where it fails, ends the script `name` with one line."""
    try:
        return work(*arguments)
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        why = getattr(error, "strerror", None) or error
        sys.exit(f"{name}: {path}: {why}: expected {expected}")


def rows(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def pyplot():
    """For files, not for a screen; equal data give equal files."""
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "hubsim"
    import matplotlib.pyplot
    return matplotlib.pyplot


def label_decades(axis, low, high):
    """Labels between powers of ten where there are too few of these to read values from."""
    from matplotlib.ticker import LogLocator, NullFormatter
    if high < 100 * low:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_minor_formatter(NullFormatter())


def title(text):
    """A line that is too long for the picture becomes several."""
    return textwrap.fill(text, TITLE_LETTERS)


def hide_frame(ax):
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)


def save(name, fig, path, dpi):
    """A kind of file that there is not is a ValueError."""
    undated = UNDATED.get(path.rpartition(".")[2])
    attempt(name, path, "a name of a picture, .png, .svg or .pdf",
            lambda: fig.savefig(path, dpi=dpi, metadata=undated))
