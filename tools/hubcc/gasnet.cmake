# What a program of GASNet finds when it is built. Objects name their mode by a weak symbol of gasnet.h:
# gasnet_modes.ld has the linker refuse two of them in a program, gasnet_MODE.ld all but that one.
# Fewer than two: where it finds a script as -lNAME, ld knows no || in it.
set(modes seq parsync par)
set(gasnet_modes)
foreach(mode ${modes})
  string(TOUPPER ${mode} MODE)
  set(gasnet_${mode})
  foreach(other ${modes})
    string(TOUPPER ${other} OTHER)
    if(other STREQUAL mode)
      continue()
    endif()
    string(APPEND gasnet_${mode}
      "ASSERT(!DEFINED(gasnet_mode_${other}), \"hubsim: an object was compiled with GASNET_${OTHER}: expected GASNET_${MODE}, as GASNet's library of mode ${mode} is linked\")\n")
    if(mode STRLESS other)
      string(APPEND gasnet_modes
        "ASSERT(2 - DEFINED(gasnet_mode_${mode}) - DEFINED(gasnet_mode_${other}), \"hubsim: one object was compiled with GASNET_${MODE}, another with GASNET_${OTHER}: expected the same mode in all\")\n")
    endif()
  endforeach()
  file(WRITE ${lib}/gasnet_${mode}.ld "${gasnet_${mode}}")
  install(FILES ${lib}/gasnet_${mode}.ld DESTINATION lib/hubsim)
endforeach()
file(WRITE ${lib}/gasnet_modes.ld "${gasnet_modes}")
install(FILES ${lib}/gasnet_modes.ld DESTINATION lib/hubsim)

# Makefiles include <prefix>/include/<conduit>-conduit/<conduit>-<mode>.mak, others ask pkg-config. All files find
# hubcc from where they lie. The libraries are for linkers of others (hubcc -showme:link).
foreach(conduit net tca ib)
  foreach(mode ${modes})
    string(TOUPPER ${mode} MODE)
    set(fragment ${conduit}-conduit/${conduit}-${mode}.mak)
    set(module pkgconfig/gasnet-${conduit}-${mode}.pc)
    set(library libgasnet-${conduit}-${mode}.so)
    configure_file(gasnet.mak.in ${CMAKE_BINARY_DIR}/include/${fragment} @ONLY)
    configure_file(gasnet.mak.in ${include}/${fragment} @ONLY)
    install(FILES ${include}/${fragment} DESTINATION include/${conduit}-conduit)
    install(FILES ${include}/${fragment} DESTINATION include/hubsim/${conduit}-conduit)
    configure_file(gasnet.pc.in ${CMAKE_BINARY_DIR}/lib/${module} @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/lib/${module} DESTINATION lib/pkgconfig)
    file(WRITE ${lib}/${library} "${gasnet_${mode}}")
    install(FILES ${lib}/${library} DESTINATION lib/hubsim)
  endforeach()
endforeach()
