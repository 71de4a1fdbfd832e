# Everything foreign, each as one imported target. Debian 12 and 13 name some of it differently.
find_package(Threads REQUIRED)
if(TROUPE_FUZZ)
  return()
endif()
find_package(CAF 0.17.6 REQUIRED COMPONENTS core)
find_package(Boost 1.81 CONFIG REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(spdlog CONFIG REQUIRED)
find_package(tomlplusplus CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(prometheus-cpp CONFIG REQUIRED)

# Header-only; which of its two homes it has is decided in runtime/concurrent_queue.hpp.
find_path(TROUPE_CONCURRENTQUEUE_DIR
  NAMES concurrentqueue/moodycamel/concurrentqueue.h concurrentqueue/concurrentqueue.h)
mark_as_advanced(TROUPE_CONCURRENTQUEUE_DIR)
if(NOT TROUPE_CONCURRENTQUEUE_DIR)
  message(FATAL_ERROR "ConcurrentQueue is missing (Debian: libconcurrentqueue-dev)")
endif()

# troupe_c_library(name header library): a C library without a CMake config; the target
# troupe_ref::<name> exists only where it is installed.
function(troupe_c_library name header library)
  find_path(TROUPE_${name}_INCLUDE ${header})
  find_library(TROUPE_${name}_LIBRARY ${library})
  mark_as_advanced(TROUPE_${name}_INCLUDE TROUPE_${name}_LIBRARY)
  if(TROUPE_${name}_INCLUDE AND TROUPE_${name}_LIBRARY)
    add_library(troupe_ref::${name} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(troupe_ref::${name} PROPERTIES
      IMPORTED_LOCATION ${TROUPE_${name}_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${TROUPE_${name}_INCLUDE})
  endif()
endfunction()

if(TROUPE_TESTS OR TROUPE_BENCH)
  find_package(nlohmann_json CONFIG REQUIRED)
  troupe_c_library(mosquitto mosquitto.h mosquitto)
  troupe_c_library(paho MQTTAsync.h paho-mqtt3as)
endif()
if(TROUPE_TESTS)
  find_package(GTest CONFIG REQUIRED)
  find_package(rapidcheck CONFIG REQUIRED)
endif()
if(TROUPE_BENCH)
  find_package(benchmark CONFIG REQUIRED)
endif()
