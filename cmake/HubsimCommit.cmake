# The git commit that is being built, as version.c for hubsim_commit (tools/lab/format/version.h). Looked up at each build, as a
# configured build directory outlives many commits; the file changes, and with it what is compiled, only with the commit.
#   include()d: adds the target `hubsim_commit`; run as a script with -DSOURCE= -DOUTPUT=: writes the file.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(HUBSIM_COMMIT_FILE ${CMAKE_BINARY_DIR}/generated/version.c)
  add_custom_target(hubsim_commit
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${HUBSIM_COMMIT_FILE}
            -P ${PROJECT_SOURCE_DIR}/cmake/HubsimCommit.cmake
    BYPRODUCTS ${HUBSIM_COMMIT_FILE} COMMENT "Git commit")
  return()
endif()

set(commit unknown) # no clone, or no git
find_program(GIT git)
if(GIT)
  # The prefix is empty at the root of a clone: sources that lie in a clone of something else have no commit.
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-prefix
                  OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0 AND prefix STREQUAL "")
    set(commit ${found})
    execute_process(COMMAND ${GIT} -C ${SOURCE} diff --quiet HEAD RESULT_VARIABLE changed ERROR_QUIET)
    if(NOT changed EQUAL 0)
      string(APPEND commit "-dirty") # as git describe says it
    endif()
  endif()
endif()
set(text "#include \"tools/lab/format/version.h\"\n\nconst char hubsim_commit[] = \"${commit}\";\n")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
