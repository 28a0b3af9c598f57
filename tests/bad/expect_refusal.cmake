# Runs mprof and checks the exit status, the message, and whether there is a report.
#   -DMPROF=the command -DARGUMENTS=a;b;c -DSTATUS=number -DMESSAGE=regular expression for stderr
#   -DMEMORY=KiB that it may use, or unlimited
execute_process(COMMAND sh -c "ulimit -d ${MEMORY} && exec \"$@\"" sh "${MPROF}" ${ARGUMENTS}
    OUTPUT_VARIABLE output ERROR_VARIABLE messages RESULT_VARIABLE status TIMEOUT 60)
message(STATUS "${messages}")
if(NOT status STREQUAL STATUS)
    message(SEND_ERROR "exit status ${status}, expected ${STATUS}")
endif()
if(NOT messages MATCHES "${MESSAGE}")
    message(SEND_ERROR "the message does not match: ${MESSAGE}")
endif()
if(STATUS EQUAL 2 AND NOT output STREQUAL "")
    message(SEND_ERROR "no report was expected, but there is output: ${output}")
endif()
if(STATUS LESS 2 AND ARGUMENTS MATCHES "^report;[^;]*(;--verbose)?$" AND NOT output MATCHES "^##mprof ")
    message(SEND_ERROR "a report was expected: ${output}")
endif()
string(ASCII 7 bell)
string(ASCII 13 return)
string(ASCII 27 escape)
string(ASCII 127 delete)
string(ASCII 194 155 csi) # U+009B in UTF-8
foreach(character IN ITEMS "${bell}" "${return}" "${escape}" "${delete}" "${csi}")
    string(FIND "${output}${messages}" "${character}" place)
    if(NOT place EQUAL -1)
        message(SEND_ERROR "a control character came through")
    endif()
endforeach()
