# SPDX-License-Identifier: Apache-2.0
# The version and the commit, which every program and every manifest names. The commit comes from git; in a tarball of `git archive`, which has no
# .git, from commit.txt, where git archive writes it.
set(TRAINYARD_VERSION 0.2.0)
get_filename_component(trainyard_root ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
set(commit)
if(EXISTS ${trainyard_root}/.git) # not the repository of a project that has these sources in a folder of its own
  set(git git -c safe.directory=* -C ${trainyard_root}) # also where the sources belong to another user, as in a container
  execute_process(COMMAND ${git} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${git} rev-parse --path-format=absolute --git-path logs/HEAD OUTPUT_VARIABLE head_log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(head_log AND EXISTS ${head_log}) # a new commit configures again, so that the name is never an old one
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${head_log})
  endif()
else()
  file(READ ${CMAKE_CURRENT_LIST_DIR}/commit.txt exported)
  if(exported MATCHES "^[0-9a-f]+")
    string(SUBSTRING ${CMAKE_MATCH_0} 0 12 commit)
  endif()
endif()
if(NOT commit)
  set(commit unknown)
endif()
set_property(SOURCE ${trainyard_root}/models/core/program.cpp PROPERTY COMPILE_DEFINITIONS TRAINYARD_VERSION="${TRAINYARD_VERSION}"
             TRAINYARD_COMMIT="${commit}")
set_property(SOURCE ${trainyard_root}/models/core/program.cpp PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
