from pathlib import Path

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class Consumer(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps", "CMakeToolchain"

    def requirements(self) -> None:
        self.requires(self.tested_reference_str)

    def layout(self) -> None:
        cmake_layout(self)

    def build(self) -> None:
        cmake = CMake(self)
        cmake.configure(build_script_folder="../../../../tests/packaging/consumer")
        cmake.build()

    def test(self) -> None:
        if can_run(self):
            model = Path(self.source_folder).parents[3] / "docs/examples/mobilenetv2_8a8w.onnx"
            self.run(f"{Path(self.cpp.build.bindir) / 'consumer'} SM8550 {model}", env="conanrun")
