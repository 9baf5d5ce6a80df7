# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=… -DVERSION=… -DSUMMARY=… -DMAN_PAGE=… -P man_page.cmake: a man page out of what `PROGRAM --help` prints.
get_filename_component(name ${PROGRAM} NAME)
execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C.UTF-8 ${PROGRAM} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
foreach(text help SUMMARY name)
  string(REPLACE "\\" "\\e" ${text} "${${text}}")
  string(REPLACE "-" "\\-" ${text} "${${text}}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" ${text} "${${text}}")
endforeach()
string(TOUPPER ${name} title)
file(WRITE ${MAN_PAGE} ".TH ${title} 1 \"\" \"Trainyard ${VERSION}\" \"User Commands\"
.SH NAME
${name} \\- ${SUMMARY}
.SH SYNOPSIS
.B ${name}
[options] [arguments]
.SH DESCRIPTION
.nf
${help}.fi
")
