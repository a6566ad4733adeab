# hubsim_library(NAME SOURCES a.c ... DEPENDS lib ... [NO_LTO]): one folder, one static library.
# hubsim_program(NAME SOURCES ... DEPENDS ... [NO_LTO]): a command in bin/.
# hubsim_product(TARGET...): these are installed, so the target `product` builds them. Whoever writes install(TARGETS) or
#   install(FILES) of something built calls it; a test compares the two.
# hubsim_test(NAME SOURCES test_x.cpp ... DEPENDS ... [LABELS ...]): a GoogleTest program, run by ctest
#   from the root of the source. Label `slow` keeps a test out of `scripts/test quick`.

set(HUBSIM_WARNINGS -Wall -Wextra -Werror -Wshadow -Wpointer-arith -Wcast-qual -Wwrite-strings -Wvla -Wundef)
# At -O3 GCC takes "written when the status is SIM_OK, read when it is" for a mistake; clang's analyzer does not.
list(APPEND HUBSIM_WARNINGS $<$<COMPILE_LANG_AND_ID:C,GNU>:-Wno-maybe-uninitialized> $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
list(APPEND HUBSIM_WARNINGS $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-c99-designator>) # tables in headers of C
set(HUBSIM_C_WARNINGS -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition)

function(hubsim_product)
  add_dependencies(product ${ARGN})
endfunction()

# What __FILE__ is in a program or its messages: a path inside of the source, wherever that lies.
set(HUBSIM_FILE_NAMES -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)

function(hubsim_common target)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/sim> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/hubsim>)
  target_compile_options(${target} PRIVATE ${HUBSIM_WARNINGS}
    $<$<COMPILE_LANGUAGE:C>:${HUBSIM_C_WARNINGS}> $<$<COMPILE_LANGUAGE:C>:${HUBSIM_FILE_NAMES}>)
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/sim") # where widths of fields are what is modelled
    target_compile_options(${target} PRIVATE -Wconversion)
  endif()
  if(HUBSIM_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_definitions(${target} PRIVATE SIM_CHECK_ORDER)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
  if(HUBSIM_COVERAGE)
    target_compile_options(${target} PRIVATE --coverage -fprofile-update=atomic)
    target_link_options(${target} PUBLIC --coverage)
  endif()
  if(HUBSIM_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# Objects hold both machine code and LTO code: programs are optimised as a whole, the many tests link fast. Libraries
# in which no time is spent stay out of it (NO_LTO): they are most of the code, and each program's link takes it anew.
function(hubsim_lto target)
  if(HUBSIM_LTO AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -flto=auto -ffat-lto-objects)
    target_link_options(${target} PRIVATE -flto=auto)
  endif()
endfunction()

function(hubsim_library target)
  cmake_parse_arguments(ARG "NO_LTO" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${target} STATIC ${ARG_SOURCES})
  target_link_libraries(${target} PUBLIC ${ARG_DEPENDS})
  hubsim_common(${target})
  if(NOT ARG_NO_LTO)
    hubsim_lto(${target})
  endif()
endfunction()

function(hubsim_no_lto target)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_link_options(${target} PRIVATE -fno-lto)
  endif()
endfunction()

function(hubsim_program target)
  cmake_parse_arguments(ARG "NO_LTO" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE ${ARG_DEPENDS})
  hubsim_common(${target})
  if(ARG_NO_LTO)
    hubsim_no_lto(${target})
  else()
    hubsim_lto(${target})
  endif()
endfunction()

# How a test's own code is compiled: fast, and without sanitizers, which watch the code under test. C's compiler links
# it: theirs are the sanitizers' libraries.
function(hubsim_test_code target)
  target_link_libraries(${target} PRIVATE GTest::gtest GTest::gtest_main)
  hubsim_common(${target})
  hubsim_no_lto(${target})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/bin)
  target_compile_options(${target} PRIVATE -O0)
  if(HUBSIM_SANITIZE)
    target_compile_options(${target} PRIVATE -g1 -fno-sanitize=all)
  endif()
endfunction()

# All tests share one precompiled header; most of a test's compile time is GoogleTest and the library.
function(hubsim_test_pch target)
  if(NOT TARGET test_headers)
    file(WRITE ${CMAKE_BINARY_DIR}/tests/headers.cpp "")
    add_executable(test_headers ${CMAKE_BINARY_DIR}/tests/headers.cpp)
    hubsim_test_code(test_headers)
    if(CMAKE_CXX_COMPILER_ID MATCHES Clang) # else ccache would find no two of it alike
      target_compile_options(test_headers PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    endif()
    target_precompile_headers(test_headers PRIVATE <gtest/gtest.h> <string> <vector> <map> <cstring>)
  endif()
  target_precompile_headers(${target} REUSE_FROM test_headers)
endfunction()

# Nothing in a test's object depends on the build that it is linked in (tests/built.h has what does), and compiling them
# takes longer than the simulator. So a build may link those of another one.
set(HUBSIM_TEST_OBJECTS "" CACHE PATH "A build of the same sources, made before, whose test objects are linked here; empty: they are compiled")

function(hubsim_test target)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LABELS" ${ARGN})
  if(HUBSIM_TEST_OBJECTS)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    list(TRANSFORM ARG_SOURCES PREPEND ${HUBSIM_TEST_OBJECTS}/${folder}/CMakeFiles/${target}.dir/)
    list(TRANSFORM ARG_SOURCES APPEND .o)
    set_source_files_properties(${ARG_SOURCES} PROPERTIES EXTERNAL_OBJECT TRUE)
  endif()
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE ${ARG_DEPENDS})
  hubsim_test_code(${target})
  if(NOT HUBSIM_TEST_OBJECTS)
    hubsim_test_pch(${target})
  endif()
  add_test(NAME ${target} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${target} PROPERTIES TIMEOUT 600)
  if(ARG_LABELS)
    set_tests_properties(${target} PROPERTIES LABELS "${ARG_LABELS}")
  endif()
  if("slow" IN_LIST ARG_LABELS)
    hubsim_starts_early(${target})
  endif()
endfunction()

# A long test that starts last leaves the other processors idle.
function(hubsim_starts_early test)
  if(TEST ${test})
    set_tests_properties(${test} PROPERTIES COST 10)
  endif()
endfunction()
