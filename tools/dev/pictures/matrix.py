"""Draws the page of `quantgate matrix --by backend` with headless Chromium: matrix_image.py CLI OUT.png"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

WIDTH, HEIGHT = 1500, 1100


def main() -> int:
    cli, out = sys.argv[1:]
    chromium = next(filter(None, map(shutil.which, (
        "chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        print("error: no Chromium on this machine (Debian package chromium)", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "matrix.html"
        subprocess.run([cli, "matrix", "--by", "backend", "--format", "html", "-o", str(page)], check=True)
        subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             f"--user-data-dir={folder}/profile", f"--window-size={WIDTH},{HEIGHT}",
             f"--screenshot={pathlib.Path(out).resolve()}", page.as_uri()],
            check=True, stderr=subprocess.DEVNULL, timeout=240)
    return 0


if __name__ == "__main__":
    sys.exit(main())
