# troupe_warnings(target): the warnings every line of ours passes, with g++ 12-14 and clang 14-19.
function(troupe_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
    $<$<BOOL:${TROUPE_WERROR}>:-Werror>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # These come from the optimiser and misjudge the standard library's own strings and vectors
    # at -O3 (g++ 12 and 13): shown, never fatal.
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-error=array-bounds
      -Wno-error=stringop-overflow -Wno-error=stringop-overread -Wno-error=maybe-uninitialized
      -Wno-error=free-nonheap-object -Wno-error=dangling-pointer)
  endif()
endfunction()
