# cmake --install: beside the commands and what hubcc links (tools/*/CMakeLists.txt), the files that they and their users
# read, and the simulation as a package for devices of one's own (docs/new-device.md).

# share/hubsim is laid out as the source is, so that commands and links between pages find the same places in both.
# In the build tree the commands look there, too.
set(share ${CMAKE_INSTALL_DATADIR}/hubsim)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/hubsim)
foreach(folder configs docs examples rtl-model scripts workloads)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${CMAKE_BINARY_DIR}/share/hubsim/${folder} SYMBOLIC)
endforeach()
install(DIRECTORY configs docs examples DESTINATION ${share})
install(DIRECTORY rtl-model/rtl DESTINATION ${share}/rtl-model)
install(DIRECTORY rtl-model/cosim DESTINATION ${share}/rtl-model FILES_MATCHING PATTERN "*.sv" PATTERN "model.*")
install(PROGRAMS rtl-model/library DESTINATION ${share}/rtl-model)
install(DIRECTORY workloads DESTINATION ${share} FILES_MATCHING PATTERN "*.[ch]" PATTERN Makefile)
set(scripts python timeline utilisation matrix) # not those that need the source
set(modules plot.py timeline.py utilisation.py matrix.py picture.py explain.py fit.py fit_platform.py fit_rows.py fit_solve.py topology.py hubsim.lua completion.bash)
list(TRANSFORM scripts PREPEND scripts/)
list(TRANSFORM modules PREPEND scripts/)
install(PROGRAMS ${scripts} DESTINATION ${share}/scripts)
install(FILES ${modules} DESTINATION ${share}/scripts)
# The Python package lies where Debian's Python looks, below its prefix /usr; below another one by PYTHONPATH.
set(python lib/python3/dist-packages)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/${python})
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/scripts/hubsim ${CMAKE_BINARY_DIR}/${python}/hubsim SYMBOLIC)
install(DIRECTORY scripts/hubsim DESTINATION ${python} FILES_MATCHING PATTERN "*.py")
foreach(command hubsim hubrun hubcc hubc++ hubf90 hubf77 hubfort) # bash looks for each by its name
  install(FILES scripts/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${command})
endforeach()
install(FILES README.md DESTINATION ${share})
foreach(page LICENSE CHANGELOG.md CONTRIBUTING.md CITATION.cff)
  install(FILES ${page} DESTINATION ${share})
endforeach()

# Man pages; in the build tree man finds them as well, by the PATH that has bin/.
if(HUBSIM_HELP2MAN)
  set(man ${CMAKE_BINARY_DIR}/share/man/man1)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS CITATION.cff)
  file(STRINGS CITATION.cff date REGEX ^date-released:)
  string(REPLACE "date-released: " "" date ${date})
  add_custom_command(OUTPUT ${man}/hubsim.1.gz
    COMMAND ${PROJECT_SOURCE_DIR}/cmake/man-pages.sh ${HUBSIM_HELP2MAN} ${CMAKE_BINARY_DIR}/bin ${PROJECT_VERSION} ${date} ${man}
    DEPENDS cmake/man-pages.sh tools/hubcc/hubcc hubrun hubsim VERBATIM)
  add_custom_target(man_pages ALL DEPENDS ${man}/hubsim.1.gz)
  hubsim_product(man_pages)
  install(DIRECTORY ${man} DESTINATION ${CMAKE_INSTALL_MANDIR})
else()
  message(STATUS "help2man not found: no man pages (./scripts/setup demo installs it)")
endif()

file(GLOB HUBSIM_INCLUDE_DIRS ${PROJECT_SOURCE_DIR}/hosts/*/include)
foreach(dir ${HUBSIM_INCLUDE_DIRS})
  install(DIRECTORY ${dir}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hubsim FILES_MATCHING PATTERN "*.h")
endforeach()

install(DIRECTORY sim/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hubsim
        FILES_MATCHING PATTERN "*.h" PATTERN "internal.h" EXCLUDE PATTERN "*_impl.h" EXCLUDE)
install(DIRECTORY regs DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hubsim FILES_MATCHING PATTERN "*.h")
set(HUBSIM_PARTS kinds machine hub ib node ether traffic pcie memory core)
list(TRANSFORM HUBSIM_PARTS PREPEND hubsim_ OUTPUT_VARIABLE libraries)
install(TARGETS ${libraries} EXPORT hubsim ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/hubsim)
hubsim_product(${libraries})
# What link-time optimisation left in them is for this very compiler, and names files of the source by their whole path.
install(CODE "file(GLOB archives \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/hubsim/*.a)
  foreach(archive \${archives})
    execute_process(COMMAND ${CMAKE_OBJCOPY} -R .gnu.lto_* -R .gnu.debuglto_* -N __gnu_lto_v1 \${archive} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()")
install(EXPORT hubsim FILE hubsimConfig.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hubsim)

# The same for whoever does not use CMake. It finds its prefix from its own place, so an installation can be moved.
list(TRANSFORM libraries REPLACE "^(.+)$" "-l\\1")
list(JOIN libraries " " HUBSIM_LIBRARIES)
file(RELATIVE_PATH HUBSIM_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/hubsim.pc.in hubsim.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hubsim.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
