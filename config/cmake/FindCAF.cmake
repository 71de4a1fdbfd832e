# FindCAF: the C++ Actor Framework 0.17, which Debian ships without a CMake config.
#
# Components: core (default), io. Targets: CAF::core, CAF::io. Sets CAF_FOUND, CAF_VERSION.
find_path(CAF_INCLUDE_DIR caf/config.hpp)
find_library(CAF_CORE_LIBRARY caf_core)
find_library(CAF_IO_LIBRARY caf_io)
mark_as_advanced(CAF_INCLUDE_DIR CAF_CORE_LIBRARY CAF_IO_LIBRARY)

if(CAF_INCLUDE_DIR)
  foreach(header caf/config.hpp caf/detail/build_config.hpp)
    if(NOT CAF_VERSION AND EXISTS ${CAF_INCLUDE_DIR}/${header})
      file(STRINGS ${CAF_INCLUDE_DIR}/${header} line REGEX "define CAF_VERSION [0-9]+")
      if(line MATCHES "CAF_VERSION ([0-9]+)")
        math(EXPR caf_major "${CMAKE_MATCH_1} / 10000")
        math(EXPR caf_minor "${CMAKE_MATCH_1} / 100 % 100")
        math(EXPR caf_patch "${CMAKE_MATCH_1} % 100")
        set(CAF_VERSION ${caf_major}.${caf_minor}.${caf_patch})
      endif()
    endif()
  endforeach()
endif()

if(CAF_CORE_LIBRARY)
  set(CAF_core_FOUND TRUE)
endif()
if(CAF_IO_LIBRARY)
  set(CAF_io_FOUND TRUE)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CAF REQUIRED_VARS CAF_CORE_LIBRARY CAF_INCLUDE_DIR
  VERSION_VAR CAF_VERSION HANDLE_COMPONENTS)

if(CAF_FOUND)
  find_package(Threads REQUIRED)
  if(NOT TARGET CAF::core)
    add_library(CAF::core UNKNOWN IMPORTED)
    set_target_properties(CAF::core PROPERTIES
      IMPORTED_LOCATION ${CAF_CORE_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${CAF_INCLUDE_DIR}
      INTERFACE_LINK_LIBRARIES Threads::Threads)
  endif()
  if(CAF_IO_LIBRARY AND NOT TARGET CAF::io)
    add_library(CAF::io UNKNOWN IMPORTED)
    set_target_properties(CAF::io PROPERTIES
      IMPORTED_LOCATION ${CAF_IO_LIBRARY}
      INTERFACE_LINK_LIBRARIES CAF::core)
  endif()
endif()
