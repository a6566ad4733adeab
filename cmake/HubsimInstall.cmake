# cmake --install: the command and its configurations, what programs for simulated hosts are compiled
# against, and the simulation as a CMake package for devices of one's own (docs/new-device.md).

if(TARGET hubsim)
  install(TARGETS hubsim RUNTIME)
endif()
install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/hubsim)

file(GLOB HUBSIM_INCLUDE_DIRS ${PROJECT_SOURCE_DIR}/hosts/*/include)
foreach(dir ${HUBSIM_INCLUDE_DIRS})
  install(DIRECTORY ${dir}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hubsim FILES_MATCHING PATTERN "*.h")
endforeach()

install(DIRECTORY sim/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hubsim
        FILES_MATCHING PATTERN "*.h" PATTERN "internal.h" EXCLUDE PATTERN "*_impl.h" EXCLUDE)
install(DIRECTORY regs DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hubsim FILES_MATCHING PATTERN "*.h")
foreach(lib core memory pcie hub ib node ether machine kinds)
  if(TARGET hubsim_${lib})
    install(TARGETS hubsim_${lib} EXPORT hubsim ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/hubsim)
    set(HUBSIM_EXPORTED TRUE)
  endif()
endforeach()
if(HUBSIM_EXPORTED)
  install(EXPORT hubsim FILE hubsimConfig.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hubsim)
endif()
