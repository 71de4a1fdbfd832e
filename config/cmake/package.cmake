# The installed package: find_package(troupe CONFIG) -> troupe::protocol ... troupe::broker.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/troupe)
install(EXPORT troupe_targets NAMESPACE troupe:: FILE troupeTargets.cmake
  DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/troupeConfig.cmake.in
  ${PROJECT_BINARY_DIR}/troupeConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/troupeConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/troupeConfig.cmake
  ${PROJECT_BINARY_DIR}/troupeConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindCAF.cmake DESTINATION ${package_dir})
