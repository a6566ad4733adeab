"""Files of pictures, for the scripts beside it."""
import sys

UNDATED = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}  # equal data give equal files


def save(name, fig, path, dpi):
    """Ends the script `name` with one line where the picture cannot be written."""
    try:
        fig.savefig(path, dpi=dpi, metadata=UNDATED.get(path.rpartition(".")[2]))
    except (OSError, ValueError) as error:  # a kind of file that there is not, for example
        why = getattr(error, "strerror", None) or error
        sys.exit(f"{name}: {path}: {why}: expected a name of a picture, .png, .svg or .pdf")
