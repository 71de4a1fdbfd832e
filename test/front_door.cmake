# front_door: what a user's file sees through actors/client.hpp and broker/broker.hpp holds no header of
# CAF, nor of anything else that only the inside needs.
cmake_minimum_required(VERSION 3.24)
foreach(header actors/client.hpp broker/broker.hpp)
  execute_process(COMMAND ${CXX} -std=c++20 -M -include ${ROOT}/${header} -x c++ /dev/null
    RESULT_VARIABLE status OUTPUT_VARIABLE seen ERROR_VARIABLE said)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${header}: ${said}")
  endif()
  string(REGEX MATCHALL "[^ ]*/(caf|spdlog|fmt|openssl|concurrentqueue|toml\\+\\+|CLI)/[^ \n]*" leaked
    "${seen}")
  if(leaked)
    list(LENGTH leaked count)
    list(GET leaked 0 first)
    message(FATAL_ERROR "${header} lets ${count} inner headers out, the first is ${first}")
  endif()
endforeach()
