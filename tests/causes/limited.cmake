# Jobs that a control group stops or kills, with Open MPI and MPICH: limited.c. Included by CMakeLists.txt.
foreach(mpi openmpi mpich)
    set(program "${CMAKE_CURRENT_BINARY_DIR}/${mpi}/limited")
    if(MPROF_${mpi}_CC)
        add_custom_command(OUTPUT ${program}
            COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/${mpi}
            COMMAND ${MPROF_${mpi}_CC} -std=c11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -o ${program}
                ${CMAKE_CURRENT_SOURCE_DIR}/limited.c
            DEPENDS limited.c zoo/zoo.h COMMENT "Building ${program}" VERBATIM)
        add_custom_target(limited_${mpi} ALL DEPENDS ${program})
    endif()
    foreach(case steady bursts seldom one_grows all_grow full_table)
        set(test causes.limited_${case}.${mpi})
        add_test(NAME ${test}
            COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/run_limited.py
                --mpi ${mpi} --mpirun=${MPROF_${mpi}_RUN} --library ${PROJECT_BINARY_DIR}/lib/libmprof.so
                --mprof ${PROJECT_BINARY_DIR}/bin/mprof --time-limit 90 ${program} ${case})
        set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 200 RUN_SERIAL ON
            LABELS "causes;${mpi}")
    endforeach()
endforeach()
