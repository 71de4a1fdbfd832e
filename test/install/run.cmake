# Installs the build to a fresh prefix, then configures, builds and runs a consumer against it.
#
#   cmake -DBUILD=<build> -DSCRATCH=<folder> -DCXX=<compiler> [-DCONFIG=Release] -P run.cmake
cmake_minimum_required(VERSION 3.24)

function(step)
  list(JOIN ARGV " " words)
  message(STATUS "${words}")
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "exit ${status}\n${said}")
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
# Nothing of the checkout may be needed: the installed tree is moved away from where it was put.
file(RENAME ${SCRATCH}/prefix ${SCRATCH}/moved)
step(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${SCRATCH}/build -G Ninja
  -DCMAKE_PREFIX_PATH=${SCRATCH}/moved -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=Debug)
step(${CMAKE_COMMAND} --build ${SCRATCH}/build -j 2)
step(${SCRATCH}/build/consumer)
step(${SCRATCH}/build/both)
file(GLOB_RECURSE left ${SCRATCH}/moved/include/*.cpp)
if(left)
  message(FATAL_ERROR "sources were installed as headers: ${left}")
endif()
file(REMOVE_RECURSE ${SCRATCH})
