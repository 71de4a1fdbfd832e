# layering: every include points down (see README.md, "Where things live").
#
#   cmake -DROOT=<checkout> -P test/layering.cmake
#
# Includes are written as the way from where one stands, so the text alone tells the direction:
# "x.hpp" next door, "../folder/x.hpp" one room over. In protocol it also refuses every header off an
# allow-list of the standard library (nothing with threads, clocks or locks) and every now().
cmake_minimum_required(VERSION 3.24)

# What a folder may include of ours: whole folders, or single rooms written folder/room.
set(may_protocol protocol)
set(may_config config protocol)
set(may_runtime runtime config protocol/slice protocol/result protocol/outbox protocol/buffer_source)
set(may_actors actors runtime config protocol)
set(may_broker broker runtime config protocol)
set(may_bench bench actors broker runtime config protocol)
set(may_broker/bridge ${may_broker} actors/client) # a bridge is a client of another broker
set(may_broker/bridge_setup ${may_broker} actors/client_configuration)

# Which foreign headers, by the first part of their path.
set(foreign_config toml\\+\\+ CLI)
set(system sys linux netinet arpa)
set(foreign_runtime caf boost openssl concurrentqueue spdlog fmt sanitizer ${system})
set(foreign_actors caf boost spdlog fmt prometheus ${system})
set(foreign_broker caf boost openssl spdlog fmt prometheus CLI ${system})

set(protocol_std algorithm array bit charconv climits compare concepts cstddef cstdint cstring
  cassert deque expected functional initializer_list iosfwd iterator limits list map memory new
  numeric optional ostream queue ranges set span sstream stdexcept string string_view system_error
  tuple type_traits unordered_map unordered_set utility variant vector version chrono cstdlib
  source_location)
set(protocol_simd_rooms utf8 topic topic_memory) # may include <immintrin.h>, with a scalar form beside it

set(violations "")
macro(refuse file text)
  string(APPEND violations "  ${file}: ${text}\n")
endmacro()

function(is_allowed path permitted result)
  set(${result} FALSE PARENT_SCOPE)
  foreach(entry IN LISTS permitted)
    if(path MATCHES "^${entry}/" OR path MATCHES "^${entry}\\.hpp$")
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

foreach(folder protocol config runtime actors broker bench)
  file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/${folder}/*.hpp ${ROOT}/${folder}/*.cpp)
  list(FILTER files EXCLUDE REGEX "/examples/") # programs of users
  foreach(file IN LISTS files)
    cmake_path(GET file STEM room)
    cmake_path(GET file PARENT_PATH here)
    set(permitted ${may_${folder}})
    if(DEFINED may_${folder}/${room})
      set(permitted ${may_${folder}/${room}})
    endif()
    file(READ ${ROOT}/${file} text)
    string(REGEX REPLACE "//[^\n]*" "" text "${text}")

    string(REGEX MATCHALL "#[ \t]*include[ \t]*\"[^\"\n]+\"" own "${text}")
    foreach(include IN LISTS own)
      string(REGEX REPLACE "^[^\"]*\"([^\"]+).*" "\\1" path "${include}")
      if(path MATCHES "/" AND NOT path MATCHES "^\\.\\./")
        refuse(${file} "\"${path}\" is not written as the way from here (../folder/room.hpp)")
        continue()
      endif()
      cmake_path(APPEND here ${path} OUTPUT_VARIABLE target)
      cmake_path(NORMAL_PATH target)
      is_allowed(${target} "${permitted}" allowed)
      if(NOT allowed)
        refuse(${file} "${folder} may not include ${target}")
      endif()
    endforeach()

    string(REGEX MATCHALL "#[ \t]*include[ \t]*<[^>\n]+>" outer "${text}")
    foreach(include IN LISTS outer)
      string(REGEX REPLACE "^[^<]*<([^>]+).*" "\\1" path "${include}")
      if(path MATCHES "^troupe/")
        refuse(${file} "<${path}> is how users write it; inside the house: ../folder/room.hpp")
      elseif(folder STREQUAL "protocol")
        if(path STREQUAL "immintrin.h" AND room IN_LIST protocol_simd_rooms)
          continue()
        endif()
        if(NOT path IN_LIST protocol_std)
          refuse(${file} "<${path}> is off the allow-list of protocol")
        endif()
      elseif(path MATCHES "/" AND DEFINED foreign_${folder})
        string(REGEX REPLACE "/.*" "" first ${path})
        set(known FALSE)
        foreach(entry IN LISTS foreign_${folder})
          if(first MATCHES "^${entry}$")
            set(known TRUE)
          endif()
        endforeach()
        if(NOT known)
          refuse(${file} "<${path}> is foreign to ${folder}")
        endif()
      endif()
    endforeach()

    if(folder STREQUAL "protocol" AND text MATCHES "[^a-z_0-9]now[ \t]*\\(")
      refuse(${file} "protocol reads no clock: time is handed in")
    endif()
  endforeach()
endforeach()

# Tests and examples stand where users stand.
file(GLOB files RELATIVE ${ROOT} ${ROOT}/test/*.cpp ${ROOT}/test/support/* ${ROOT}/actors/examples/*.cpp)
foreach(file IN LISTS files)
  file(READ ${ROOT}/${file} text)
  string(REGEX MATCHALL "#[ \t]*include[ \t]*\"[^\"\n]*(protocol|config|runtime|actors|broker|bench)/[^\"\n]+\""
    own "${text}")
  list(FILTER own EXCLUDE REGEX "\"(\\.\\./)?support/")
  foreach(include IN LISTS own)
    refuse(${file} "${include}: users write <troupe/folder/room.hpp>")
  endforeach()
endforeach()

if(violations)
  message(FATAL_ERROR "layering is broken:\n${violations}")
endif()
message(STATUS "layering holds")
