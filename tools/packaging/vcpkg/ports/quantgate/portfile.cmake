# Takes the sources that this folder is part of. A port in a registry names an archive instead:
# vcpkg_from_github(... REF "v${VERSION}" SHA512 ...).
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS FEATURES
  tools QUANTGATE_CLI
  tools QUANTGATE_IMPORT)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${FEATURE_OPTIONS} -DQUANTGATE_TESTS=OFF -DQUANTGATE_BENCHMARKS=OFF -DQUANTGATE_WERROR=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/quantgate)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES quantgate AUTO_CLEAN)
  file(RENAME "${CURRENT_PACKAGES_DIR}/libexec/quantgate/quantgate-import"
    "${CURRENT_PACKAGES_DIR}/tools/quantgate/quantgate-import")
  file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/libexec" "${CURRENT_PACKAGES_DIR}/debug/libexec")
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
