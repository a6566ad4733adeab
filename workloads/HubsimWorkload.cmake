# hubsim_workload(NAME SOURCES a.c ... [INCLUDES dir ...] [LIBRARIES m ...] [OUTPUT dir]): a program as the shared
# object that the simulator loads once for each rank. Those without an OUTPUT come along with the product.
#
# -Bsymbolic and the map bind the program to its own stdout, exit and globals (hosts/launch/shim);
# unique symbols would be merged between the copies. Programs see public headers only. They are built
# without sanitizers: a sanitizer's tables of globals would clash between the copies.
set(HUBSIM_WORKLOAD_DIR ${CMAKE_BINARY_DIR}/lib/hubsim/workloads)
set(HUBSIM_PROGRAM_INCLUDES
    ${PROJECT_SOURCE_DIR}/hosts/tca/include ${PROJECT_SOURCE_DIR}/hosts/cuda/include
    ${PROJECT_SOURCE_DIR}/hosts/mpi/include ${CMAKE_BINARY_DIR}/hosts/mpi/include ${PROJECT_SOURCE_DIR}/hosts/driver/include
    ${PROJECT_SOURCE_DIR}/hosts/loops/include ${PROJECT_SOURCE_DIR}/hosts/mbcf/include ${PROJECT_SOURCE_DIR}/hosts/gasnet/include ${PROJECT_SOURCE_DIR}/hosts/launch/include)
set(HUBSIM_PROGRAM_OPTIONS -fPIC $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)

if(NOT TARGET program_shim)
  set(shim ${PROJECT_SOURCE_DIR}/hosts/launch/shim)
  add_library(program_shim OBJECT ${shim}/environment.c ${shim}/jumps.c ${shim}/kill.c ${shim}/libc.c ${shim}/options.c ${shim}/poll.c ${shim}/program.c
    ${shim}/random.c ${shim}/signals.c ${shim}/start.c ${shim}/threads.c ${shim}/timers.c)
  # A call of an empty hook at each access of a program: these must be as small as they can be.
  set_source_files_properties(${shim}/poll.c PROPERTIES COMPILE_OPTIONS -O2)
  set_source_files_properties(${shim}/start.c PROPERTIES COMPILE_OPTIONS
    "-fno-stack-protector;$<$<C_COMPILER_ID:GNU>:-fno-tree-loop-distribute-patterns>;-fno-sanitize=all") # no function is there to be called
  target_include_directories(program_shim PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(program_shim PRIVATE ${HUBSIM_WARNINGS} ${HUBSIM_PROGRAM_OPTIONS} -fno-builtin)
endif()

function(hubsim_workload_code target)
  target_include_directories(${target} PRIVATE ${HUBSIM_PROGRAM_INCLUDES})
  target_compile_options(${target} PRIVATE ${HUBSIM_WARNINGS} ${HUBSIM_FILE_NAMES} ${HUBSIM_PROGRAM_OPTIONS})
  add_dependencies(${target} mpi_functions) # a part of mpi.h that is made
endfunction()

function(hubsim_workload name)
  cmake_parse_arguments(ARG "" "OUTPUT" "SOURCES;INCLUDES;LIBRARIES" ${ARGN})
  add_library(workload_${name} MODULE ${ARG_SOURCES} $<TARGET_OBJECTS:program_shim>)
  hubsim_workload_code(workload_${name})
  target_include_directories(workload_${name} PRIVATE ${ARG_INCLUDES})
  target_link_options(workload_${name} PRIVATE
    LINKER:-Bsymbolic,--version-script,${PROJECT_SOURCE_DIR}/hosts/launch/shim/program.map)
  target_link_libraries(workload_${name} PRIVATE ${ARG_LIBRARIES})
  if(NOT ARG_OUTPUT)
    set(ARG_OUTPUT ${HUBSIM_WORKLOAD_DIR})
    # bin/../lib/hubsim, where the command looks, whatever the platform calls its library folder
    install(TARGETS workload_${name} LIBRARY DESTINATION lib/hubsim/workloads)
    hubsim_product(workload_${name})
  endif()
  set_target_properties(workload_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${ARG_OUTPUT})
endfunction()
