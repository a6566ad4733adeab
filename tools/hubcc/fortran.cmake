# Fortran: MPI's names with underscores and what libgfortran needs, as one object for hubf90, which are C;
# mpif.h; and the modules mpi and mpi_f08, which take gfortran.
set(fortran ${PROJECT_SOURCE_DIR}/hosts/mpi/bindings/fortran)
hubsim_mpi_binding(wrappers.c fortran_bindings.py wrappers)
add_library(program_fortran OBJECT ${CMAKE_CURRENT_BINARY_DIR}/wrappers.c ${fortran}/special.c ${fortran}/section.c ${fortran}/runtime.c)
add_dependencies(program_fortran mpi_functions)
target_include_directories(program_fortran PRIVATE ${PROJECT_SOURCE_DIR} $<TARGET_PROPERTY:host_mpi,INTERFACE_INCLUDE_DIRECTORIES>)
# A section for each function: a program keeps those that it calls.
target_compile_options(program_fortran PRIVATE ${HUBSIM_WARNINGS} -O1 -ffunction-sections)
add_custom_command(OUTPUT ${include}/mpif.h
  COMMAND ${fortran}/mpif.sh ${include}/mpif.h ${PROJECT_SOURCE_DIR}/hosts/mpi/include/mpi.h
  DEPENDS ${fortran}/mpif.sh ${PROJECT_SOURCE_DIR}/hosts/mpi/include/mpi.h VERBATIM)
file(MAKE_DIRECTORY ${include}/fortran)
set(fortran_parts ${lib}/fortran.o ${include}/mpif.h)
find_program(HUBSIM_GFORTRAN gfortran)
if(HUBSIM_GFORTRAN)
  add_custom_command(OUTPUT mpi_module.o ${include}/fortran/mpi.mod
    COMMAND ${HUBSIM_GFORTRAN} -O2 -fPIC -ffunction-sections -c -I${include} -J${include}/fortran ${fortran}/mpi.f90 -o mpi_module.o
    COMMAND ${CMAKE_COMMAND} -E touch ${include}/fortran/mpi.mod # which stays as it is when nothing changed
    DEPENDS ${fortran}/mpi.f90 ${include}/mpif.h VERBATIM)
  set(f08_parts f08_constants.inc)
  foreach(part handles operators procedures)
    hubsim_mpi_binding(f08_${part}.inc fortran_bindings.py ${part})
    list(APPEND f08_parts f08_${part}.inc)
  endforeach()
  add_custom_command(OUTPUT f08_constants.inc
    COMMAND ${fortran}/mpif.sh f08_constants.inc ${PROJECT_SOURCE_DIR}/hosts/mpi/include/mpi.h f08
    DEPENDS ${fortran}/mpif.sh ${PROJECT_SOURCE_DIR}/hosts/mpi/include/mpi.h VERBATIM)
  add_custom_command(OUTPUT mpi_f08_module.o ${include}/fortran/mpi_f08.mod
    COMMAND ${HUBSIM_GFORTRAN} -O2 -fPIC -ffunction-sections -ffree-line-length-none -I${CMAKE_CURRENT_BINARY_DIR}
            -c -J${include}/fortran ${fortran}/mpi_f08.f90 -o mpi_f08_module.o
    COMMAND ${CMAKE_COMMAND} -E touch ${include}/fortran/mpi_f08.mod
    DEPENDS ${fortran}/mpi_f08.f90 ${f08_parts} VERBATIM)
  list(APPEND fortran_parts ${include}/fortran/mpi.mod ${include}/fortran/mpi_f08.mod)
  set(module ${CMAKE_CURRENT_BINARY_DIR}/mpi_module.o ${CMAKE_CURRENT_BINARY_DIR}/mpi_f08_module.o)
  install(FILES ${include}/fortran/mpi.mod ${include}/fortran/mpi_f08.mod DESTINATION include/hubsim/fortran)
else()
  message(STATUS "gfortran not found: no module mpi, hubf90 compiles nothing (./scripts/setup demo installs it)")
endif()
add_custom_command(OUTPUT ${lib}/fortran.o
  COMMAND ${CMAKE_LINKER} -r -o ${lib}/fortran.o $<TARGET_OBJECTS:program_fortran> ${module}
  DEPENDS program_fortran $<TARGET_OBJECTS:program_fortran> ${module}
  COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(hubfort DEPENDS ${fortran_parts})
add_dependencies(hubcc hubfort)
install(FILES ${include}/mpif.h DESTINATION include/hubsim)
install(FILES ${lib}/fortran.o DESTINATION lib/hubsim)
