# SPDX-License-Identifier: Apache-2.0
# SimGrid without ns-3. Debian's libsimgrid holds a model of the network that runs ns-3, and so needs ns-3's libraries, which take 20 of the 24 ms
# that it takes to load and which no fidelity uses. Libraries of the same names are loaded before it (models/core/loaded_part.cpp), so that the
# dynamic linker does not look for those of the system: they define what libsimgrid asks of ns-3, as functions that do nothing and variables that
# are zero.
#
# add_stand_ins(FOLDER LIBRARY): for the libraries libns3-* that the shared library LIBRARY needs, into FOLDER beside the programs; their targets go
# to stand_ins. Nothing where it needs none, or where the compiler's tools cannot tell.
set(stand_ins)
function(add_stand_ins folder library)
  file(REAL_PATH "${library}" library)
  execute_process(COMMAND ${CMAKE_READELF} -d ${library} OUTPUT_VARIABLE dynamic ERROR_QUIET RESULT_VARIABLE failed)
  string(REGEX MATCHALL "libns3-[a-z0-9-]+\\.so\\.[0-9]+" needed "${dynamic}")
  execute_process(COMMAND ${CMAKE_NM} -D --undefined-only ${library} OUTPUT_VARIABLE undefined ERROR_QUIET RESULT_VARIABLE unknown)
  if(failed OR unknown OR NOT needed)
    return()
  endif()
  string(REGEX MATCHALL "_Z[A-Za-z0-9_]*ns3[A-Za-z0-9_]*" undefined "${undefined}")
  get_filename_component(libraries ${library} DIRECTORY)
  foreach(name ${needed})
    execute_process(COMMAND ${CMAKE_NM} -D --defined-only ${libraries}/${name} OUTPUT_VARIABLE defined ERROR_QUIET RESULT_VARIABLE unknown)
    if(unknown)
      return()
    endif()
    string(REGEX MATCHALL "[A-Za-z] _Z[A-Za-z0-9_]+" defined "${defined}")
    set(source "extern \"C\" {\n")
    foreach(symbol ${defined})
      string(SUBSTRING ${symbol} 0 1 kind)
      string(SUBSTRING ${symbol} 2 -1 symbol)
      if(NOT symbol IN_LIST undefined)
        continue()
      elseif(kind MATCHES "[TW]" AND NOT symbol MATCHES "^_ZT")
        string(APPEND source "int ${symbol}() { return 0; }\n")
      else()
        string(APPEND source "char ${symbol}[1024];\n") # the largest, a table of virtual functions, has some 200 bytes
      endif()
    endforeach()
    string(MAKE_C_IDENTIFIER "stand_in_for_${name}" target)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${folder}/${target}.cpp CONTENT "${source}}\n" @ONLY)
    add_library(${target} MODULE ${PROJECT_BINARY_DIR}/${folder}/${target}.cpp)
    set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name} SUFFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${folder})
    target_link_options(${target} PRIVATE LINKER:-soname,${name} LINKER:--no-as-needed) # a library that needs none is a fault to lintian
    list(APPEND targets ${target})
  endforeach()
  set(stand_ins ${targets} PARENT_SCOPE)
endfunction()
