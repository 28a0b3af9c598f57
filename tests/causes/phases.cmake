# Runs that change over time, with Open MPI and MPICH: phases.c. Included by CMakeLists.txt.
foreach(mpi openmpi mpich)
    set(program "${CMAKE_CURRENT_BINARY_DIR}/${mpi}/phases")
    if(MPROF_${mpi}_CC)
        add_custom_command(OUTPUT ${program}
            COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/${mpi}
            COMMAND ${MPROF_${mpi}_CC} -std=c11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -o ${program}
                ${CMAKE_CURRENT_SOURCE_DIR}/phases.c
            DEPENDS phases.c COMMENT "Building ${program}" VERBATIM)
        add_custom_target(phases_${mpi} ALL DEPENDS ${program})
    endif()
    set(cases three slows_down hiccup grows burst)
    if(mpi STREQUAL openmpi) # Debian's MPICH hangs in MPI_Finalize now and then on several nodes
        list(APPEND cases on_nodes)
    endif()
    foreach(case ${cases})
        set(test causes.phases_${case}.${mpi})
        add_test(NAME ${test}
            COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/run_phases.py
                --mpi ${mpi} --mpirun=${MPROF_${mpi}_RUN} --library ${PROJECT_BINARY_DIR}/lib/libmprof.so
                --mprof ${PROJECT_BINARY_DIR}/bin/mprof --time-limit 60 ${program} ${case})
        set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300 RUN_SERIAL ON
            LABELS "causes;${mpi}")
    endforeach()
endforeach()
