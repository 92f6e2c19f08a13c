"""What the tool loads at every start: next to nothing."""
import os
import re
import subprocess
import unittest


class SharedLibrariesTest(unittest.TestCase):

    def test_libc_and_libm_alone(self) -> None:
        listed = subprocess.run(["ldd", os.environ["QUANTGATE_CLI"]], capture_output=True, text=True,
                                check=True).stdout
        libraries = set(re.findall(r"(?m)^\s+(?:\S*/)?(\S+?)\.so", listed))
        self.assertLessEqual({"libc"}, libraries)
        self.assertLessEqual(libraries, {"libc", "libm", "linux-vdso", "ld-linux-x86-64",
                                         "ld-linux-aarch64"})


if __name__ == "__main__":
    unittest.main()
