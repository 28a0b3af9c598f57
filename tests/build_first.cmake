# With MPROF_TESTS=AUTO the tests are no part of `all`: cmake --build builds what is installed. ctest builds them when it reads the
# list of tests, so that `cmake -B build && cmake --build build && ctest --test-dir build` works all the same. Not a fixture:
# GoogleTest's tests are in the list only when they are built.
set_property(DIRECTORY "${PROJECT_SOURCE_DIR}/tests" PROPERTY EXCLUDE_FROM_ALL ON)

function(mprof_collect_below folder)
    get_property(names DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
    foreach(name IN LISTS names)
        get_target_property(type ${name} TYPE)
        get_target_property(by_hand ${name} EXCLUDE_FROM_ALL)
        if(NOT by_hand AND NOT type STREQUAL "INTERFACE_LIBRARY")
            set_property(GLOBAL APPEND PROPERTY MPROF_TEST_TARGETS ${name})
        endif()
    endforeach()
    get_property(below DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
    foreach(child IN LISTS below)
        mprof_collect_below("${child}")
    endforeach()
endfunction()
mprof_collect_below("${PROJECT_SOURCE_DIR}/tests")
get_property(targets GLOBAL PROPERTY MPROF_TEST_TARGETS)
add_custom_target(mprof_tests DEPENDS ${targets})

set(script "${CMAKE_CURRENT_BINARY_DIR}/build_tests.cmake")
file(WRITE "${script}" "execute_process(RESULT_VARIABLE failed
    COMMAND [=[${CMAKE_COMMAND}]=] --build [=[${PROJECT_BINARY_DIR}]=] --target mprof_tests --parallel)
if(failed)
    message(FATAL_ERROR \"The tests could not be built, see above.\")
endif()
")
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
