# cmake --install: the command, its configurations, and what a program needs that is written for it.

if(TARGET hubsim)
  install(TARGETS hubsim RUNTIME)
endif()

install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/hubsim)

# Public headers: what a program on a simulated host includes.
file(GLOB HUBSIM_INCLUDE_DIRS ${PROJECT_SOURCE_DIR}/hosts/*/include)
foreach(dir ${HUBSIM_INCLUDE_DIRS})
  install(DIRECTORY ${dir}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hubsim FILES_MATCHING PATTERN "*.h")
endforeach()
