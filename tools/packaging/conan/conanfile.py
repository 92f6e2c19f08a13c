"""Conan 2 recipe of quantgate; `conan create tools/packaging/conan` from the sources' root."""

from pathlib import Path

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class Quantgate(ConanFile):
    name = "quantgate"
    license = "Apache-2.0"
    description = "Checks whether a quantized model fits an NPU backend"
    topics = ("quantization", "npu", "onnx", "linter")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "tools": [True, False]}
    default_options = {"shared": True, "tools": True}

    def set_version(self) -> None:
        text = load(self, Path(self.recipe_folder).parents[2] / "CMakeLists.txt")
        self.version = text.split("project(quantgate VERSION ", 1)[1].split()[0]

    def export_sources(self) -> None:
        root = Path(self.recipe_folder).parents[2]
        copy(self, "LICENSE", root, self.export_sources_folder)
        copy(self, "CMakeLists.txt", root, self.export_sources_folder)
        for folder in ("bindings", "cmake", "core", "opdefs", "proto", "tools"):
            copy(self, f"{folder}/*", root, self.export_sources_folder)
        # The examples of `quantgate explain`.
        copy(self, "tests/fixtures/rules/*", root, self.export_sources_folder)

    def requirements(self) -> None:
        self.requires("abseil/[>=20220623 <20270000]", transitive_headers=True)
        self.requires("fmt/[>=9.1 <12]")
        self.requires("nlohmann_json/[>=3.11 <4]")
        self.requires("protobuf/[>=3.21 <7]")
        self.requires("protozero/[>=1.7 <2]")
        self.requires("tomlplusplus/[>=3.3 <4]")
        self.requires("yaml-cpp/[>=0.7 <1]")
        if self.options.tools:
            self.requires("cli11/[>=2.1 <3]")
            self.requires("libxml2/[>=2.9 <3]")

    def build_requirements(self) -> None:
        self.tool_requires("protobuf/<host_version>")

    def validate(self) -> None:
        check_min_cppstd(self, 20)

    def layout(self) -> None:
        cmake_layout(self)

    def generate(self) -> None:
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.variables["BUILD_SHARED_LIBS"] = bool(self.options.shared)
        toolchain.variables["QUANTGATE_CLI"] = bool(self.options.tools)
        toolchain.variables["QUANTGATE_IMPORT"] = bool(self.options.tools)
        for name in ("TESTS", "BENCHMARKS", "WERROR"):
            toolchain.variables[f"QUANTGATE_{name}"] = False
        toolchain.generate()

    def build(self) -> None:
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self) -> None:
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder) / "licenses")
        CMake(self).install()

    def package_info(self) -> None:
        self.cpp_info.set_property("cmake_file_name", "quantgate")
        library = self.cpp_info.components["quantgate_cpp"]
        library.set_property("cmake_target_name", "quantgate::quantgate")
        library.set_property("pkg_config_name", "quantgate")
        library.libs = ["quantgate"]
        library.requires = ["abseil::abseil", "fmt::fmt", "nlohmann_json::nlohmann_json", "protozero::protozero",
                            "tomlplusplus::tomlplusplus", "yaml-cpp::yaml-cpp"]
        c_library = self.cpp_info.components["quantgate_c"]
        c_library.set_property("cmake_target_name", "quantgate::quantgate_c")
        c_library.libs = ["quantgate_c"]
        c_library.requires = ["quantgate_cpp"]
