# troupe_layer(name [PUBLIC target...] [PRIVATE target...]): the static library troupe::<name>, made
# of all *.cpp and *.hpp of the calling folder. Files ending in _main.cpp are programs and stay out.
# A folder without sources yet is a library without bodies.
function(troupe_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "PUBLIC;PRIVATE")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_main\\.cpp$")
  if(NOT sources)
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/nothing_yet.cpp)
    if(NOT EXISTS ${sources})
      file(WRITE ${sources} "// No room of this folder has bodies yet.\n")
    endif()
  endif()
  file(GLOB names RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS
    ${CMAKE_CURRENT_SOURCE_DIR}/*.hpp)
  set(headers ${names})
  list(TRANSFORM headers PREPEND ${PROJECT_BINARY_DIR}/include/troupe/${name}/)

  set(target troupe_${name})
  add_library(${target} STATIC ${sources})
  add_library(troupe::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_compile_features(${target} PUBLIC cxx_std_20)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The archive may end up in somebody's shared library, so it is PIC; nobody replaces single functions of
    # it, so they may be inlined all the same.
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  endif()
  target_sources(${target} PUBLIC FILE_SET HEADERS
    BASE_DIRS ${PROJECT_BINARY_DIR}/include FILES ${headers})
  target_link_libraries(${target} PUBLIC ${layer_PUBLIC} PRIVATE ${layer_PRIVATE})
  troupe_warnings(${target})
  install(TARGETS ${target} EXPORT troupe_targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endfunction()
