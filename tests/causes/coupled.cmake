# Jobs of several programs, with Open MPI and MPICH: coupled.c under three names. Included by CMakeLists.txt.
foreach(mpi openmpi mpich)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${mpi}")
    set(programs "")
    if(MPROF_${mpi}_CC)
        foreach(name ocean atmosphere land)
            add_custom_command(OUTPUT ${folder}/${name}
                COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
                COMMAND ${MPROF_${mpi}_CC} -std=c11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -o ${folder}/${name}
                    ${CMAKE_CURRENT_SOURCE_DIR}/coupled.c
                DEPENDS coupled.c COMMENT "Building ${folder}/${name}" VERBATIM)
            list(APPEND programs ${folder}/${name})
        endforeach()
        add_custom_target(coupled_${mpi} ALL DEPENDS ${programs})
    endif()
    set(cases one_rank one_each in_turn healthy arguments)
    if(mpi STREQUAL openmpi) # MPICH does not yield: with more ranks than CPUs it shows nothing else
        list(APPEND cases two_each three uneven)
    endif()
    foreach(case ${cases})
        set(test causes.coupled_${case}.${mpi})
        add_test(NAME ${test}
            COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/run_coupled.py
                --mpi ${mpi} --mpirun=${MPROF_${mpi}_RUN} --library ${PROJECT_BINARY_DIR}/lib/libmprof.so
                --mprof ${PROJECT_BINARY_DIR}/bin/mprof --time-limit 60 ${folder} ${case})
        set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300 RUN_SERIAL ON
            LABELS "causes;${mpi}")
    endforeach()
endforeach()
