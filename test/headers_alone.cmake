# headers_alone: every header of the house compiles by itself, with the given compiler, without a
# warning.
#
#   cmake -DROOT=<checkout> -DSCRATCH=<folder> -DCXX=g++ [-DJOBS=2] -P test/headers_alone.cmake
#
# Writes a small ninja file, so that headers are checked in parallel and, in the next run, only those
# that changed or include something that changed.
cmake_minimum_required(VERSION 3.24)
if(NOT JOBS)
  set(JOBS 2)
endif()
set(warnings "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror")

file(MAKE_DIRECTORY ${SCRATCH})
set(rules "ninja_required_version = 1.5
rule alone
  command = ${CXX} -std=c++20 -pthread -fsyntax-only ${warnings} $flags -include $in -x c++ /dev/null -MD -MF $out.d -MT $out && touch $out
  depfile = $out.d
  deps = gcc
  description = $in
")
set(count 0)
foreach(folder protocol config runtime actors broker bench/load bench/peers bench/micro)
  file(GLOB headers RELATIVE ${ROOT} ${ROOT}/${folder}/*.hpp)
  foreach(header IN LISTS headers)
    string(REPLACE "/" "." stamp ${header})
    string(APPEND rules "build ${stamp}: alone ${ROOT}/${header}\n")
    math(EXPR count "${count} + 1")
  endforeach()
endforeach()
file(GLOB headers ${ROOT}/test/support/*.hpp) # these stand outside and include <troupe/...>
foreach(header IN LISTS headers)
  cmake_path(GET header FILENAME name)
  string(APPEND rules "build support.${name}: alone ${header}\n  flags = -I${SCRATCH}/include\n")
  math(EXPR count "${count} + 1")
endforeach()
file(MAKE_DIRECTORY ${SCRATCH}/include)
file(CREATE_LINK ${ROOT} ${SCRATCH}/include/troupe SYMBOLIC)
file(CONFIGURE OUTPUT ${SCRATCH}/build.ninja CONTENT "${rules}" @ONLY)

find_program(NINJA NAMES ninja ninja-build REQUIRED)
execute_process(COMMAND ${NINJA} -C ${SCRATCH} -j ${JOBS} -k 0 RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "some headers do not compile alone with ${CXX}")
endif()
message(STATUS "${count} headers compile alone with ${CXX}")
