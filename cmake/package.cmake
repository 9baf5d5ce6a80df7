# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` lays out, and the Debian packages that `cpack` makes of it. A component is a package: trainyard, mpi (trainyard-mpi),
# gui (trainyard-gui), calibrate (trainyard-calibrate).

# `cpack` and `cmake --install` build what they are about to install: `./run` has built simrun alone. Before any other rule of a component.
foreach(component trainyard mpi calibrate gui)
  add_custom_target(files_of_${component})
  install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${PROJECT_BINARY_DIR}\" --target files_of_${component} COMMAND_ERROR_IS_FATAL ANY)"
          COMPONENT ${component})
endforeach()

set(maintainer "Trainyard maintainers <maintainers@trainyard.invalid>")
set(generated ${PROJECT_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${generated})
find_program(GZIP gzip)

# compressed(FILE COMPONENT DESTINATION): FILE.gz, which has no time in it, goes into a component
function(compressed file component destination)
  add_custom_command(OUTPUT ${file}.gz COMMAND ${GZIP} -9nkf ${file} DEPENDS ${file} VERBATIM)
  string(REGEX REPLACE "[^a-z0-9]" "_" target ${component}_${file})
  add_custom_target(${target} DEPENDS ${file}.gz)
  add_dependencies(files_of_${component} ${target})
  install(FILES ${file}.gz DESTINATION ${destination} COMPONENT ${component})
endfunction()

# man_page(PROGRAM COMPONENT SUMMARY): out of `PROGRAM --help`
function(man_page program component summary)
  add_custom_command(OUTPUT ${generated}/${program}.1
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${program}> -DVERSION=${PROJECT_VERSION} -DSUMMARY=${summary} -DMAN_PAGE=${generated}/${program}.1
            -P ${PROJECT_SOURCE_DIR}/cmake/man_page.cmake
    DEPENDS ${program} ${PROJECT_SOURCE_DIR}/cmake/man_page.cmake VERBATIM)
  compressed(${generated}/${program}.1 ${component} ${CMAKE_INSTALL_MANDIR}/man1)
endfunction()

# package(COMPONENT NAME DESCRIPTION): its control fields, copyright and changelog
function(package component name description)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/debian/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
  install(FILES ${generated}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
  add_dependencies(files_of_${component} debian_changelog)
  string(TOUPPER ${component} upper)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION ${description} PARENT_SCOPE)
  if(NOT name STREQUAL "trainyard")
    set(CPACK_DEBIAN_${upper}_PACKAGE_SOURCE trainyard PARENT_SCOPE)
  endif()
endfunction()

# Once all programs are known.
function(trainyard_packages)
  add_custom_command(OUTPUT ${generated}/changelog.gz
    COMMAND ${CMAKE_COMMAND} -DCHANGELOG=${PROJECT_SOURCE_DIR}/CHANGELOG.md -DMAINTAINER=${maintainer} -DDEBIAN_CHANGELOG=${generated}/changelog
            -P ${PROJECT_SOURCE_DIR}/cmake/debian/changelog.cmake
    COMMAND ${GZIP} -9nf ${generated}/changelog
    DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/cmake/debian/changelog.cmake VERBATIM)
  add_custom_target(debian_changelog DEPENDS ${generated}/changelog.gz)

  # trainyard. Man page and shell completion come out of the program itself, so that they never lag behind it.
  add_custom_command(OUTPUT ${generated}/simrun.1 ${generated}/simrun ${generated}/_simrun ${generated}/simrun.fish
    COMMAND simrun man > ${generated}/simrun.1
    COMMAND simrun completion bash > ${generated}/simrun
    COMMAND simrun completion zsh > ${generated}/_simrun
    COMMAND simrun completion fish > ${generated}/simrun.fish
    DEPENDS simrun COMMENT "Man page and shell completion" VERBATIM)
  compressed(${generated}/simrun.1 trainyard ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${generated}/simrun DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT trainyard)
  install(FILES ${generated}/_simrun DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT trainyard)
  install(FILES ${generated}/simrun.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT trainyard)
  install(TARGETS simrun RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT trainyard)
  install(TARGETS ${part_targets} LIBRARY DESTINATION libexec/trainyard COMPONENT trainyard)
  add_dependencies(files_of_trainyard ${part_targets})
  foreach(folder models/hardware/catalogue models/orchestration/catalogue results/calibration/data_sheet scenarios)
    get_filename_component(above ${folder} DIRECTORY)
    install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/trainyard/${above} COMPONENT trainyard
            FILES_MATCHING PATTERN "*.yaml" PATTERN "*.yml" PATTERN "*.csv" PATTERN "*.json")
  endforeach()
  install(FILES results/calibration/vm_2_cores.json DESTINATION ${CMAKE_INSTALL_DATADIR}/trainyard/results/calibration COMPONENT trainyard)
  install(FILES results/error_model.csv DESTINATION ${CMAKE_INSTALL_DATADIR}/trainyard/results COMPONENT trainyard)
  install(FILES README.md GLOSSARY.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT trainyard)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT licence) # in no package: Debian has the text of the licence
  package(trainyard trainyard "cluster simulator and capacity planner for deep-learning training
simrun replays distributed deep-learning training, parameter-server and
all-reduce alike, on a virtual GPU cluster that one YAML file describes. It
says how fast every job trains, what it waits for, and which link or server
holds it back; it compares schedulers, sweeps parameters and plans purchases.

This package holds simrun, the hardware catalogue and the example scenarios.")

  if(TARGET simrun_mpi)
    add_dependencies(files_of_mpi simrun_mpi)
    install(TARGETS simrun_mpi RUNTIME DESTINATION libexec/trainyard COMPONENT mpi)
    package(mpi trainyard-mpi "parameter sweeps of Trainyard on the ranks of an MPI job
Trainyard simulates clusters for distributed deep-learning training.

This package adds what 'mpirun simrun sweep --mpi' needs to spread the points
of a sweep over several machines with Open MPI. Sweeps on one machine and
sharded sweeps work without it.")
  endif()

  if(TARGET simcal)
    add_dependencies(files_of_calibrate simcal)
    man_page(simcal calibrate "measure this machine into a calibration file")
    package(calibrate trainyard-calibrate "measure a machine into a calibration file for Trainyard
Trainyard simulates clusters for distributed deep-learning training.

This package holds simcal. It measures what a machine really reaches: memory,
disk, TCP, gRPC, MPI and, where CUDA is there, the GPU; and writes constants
with their errors into a file that scenarios name.")
  endif()

  if(TARGET simgui)
    add_dependencies(files_of_gui simgui)
    man_page(simgui gui "edit and run training-cluster scenarios, look at results")
    package(gui trainyard-gui "graphical editor and result viewer of Trainyard
Trainyard simulates clusters for distributed deep-learning training.

This package holds simgui. It draws the cluster of a scenario, checks it while
it is edited, runs simrun and shows the results: the timeline of every job,
links and their load, comparisons and plans.")
  endif()

  set(version "= ${PROJECT_VERSION}")
  set(CPACK_DEBIAN_TRAINYARD_PACKAGE_DEPENDS fonts-dejavu-core)
  set(CPACK_DEBIAN_TRAINYARD_PACKAGE_SUGGESTS "trainyard-gui, trainyard-calibrate, trainyard-mpi")
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "trainyard (${version}), openmpi-bin")
  set(CPACK_DEBIAN_GUI_PACKAGE_DEPENDS "trainyard (${version}), qt6-translations-l10n")
  set(CPACK_DEBIAN_GUI_PACKAGE_RECOMMENDS "libgl1-mesa-dri")
  set(CPACK_DEBIAN_CALIBRATE_PACKAGE_RECOMMENDS "fonts-dejavu-core, openmpi-bin")
  set(CPACK_DEBIAN_CALIBRATE_PACKAGE_SUGGESTS "trainyard")
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${cuda_folders}) # no package knows the libraries of CUDA

  set(CPACK_GENERATOR DEB)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_PACKAGE_NAME trainyard)
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
  set(CPACK_PACKAGE_CONTACT "${maintainer}")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
  set(CPACK_STRIP_FILES ON)
  include(CPack)
endfunction()
