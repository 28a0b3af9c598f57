# Programs with OpenMP and a planted cause, of GCC and of Clang, with Open MPI and MPICH. Included by CMakeLists.txt.
foreach(mpi openmpi mpich)
    foreach(compiler gcc clang)
        set(program "${CMAKE_CURRENT_BINARY_DIR}/${mpi}/hybrid_${compiler}")
        set(needs "")
        set(environment "")
        if(compiler STREQUAL clang)
            set(environment ${CMAKE_COMMAND} -E env OMPI_CC=clang MPICH_CC=clang)
            set(needs --needs clang:-fopenmp)
        endif()
        if(MPROF_${mpi}_CC AND (MPROF_CLANG_HAS_OPENMP OR NOT needs))
            add_custom_command(OUTPUT ${program}
                COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/${mpi}
                COMMAND ${environment} ${MPROF_${mpi}_CC} -std=c11 -O1 -g -fopenmp -o ${program}
                    ${CMAKE_CURRENT_SOURCE_DIR}/hybrid.c
                DEPENDS hybrid.c COMMENT "Building ${program}" VERBATIM)
            add_custom_target(hybrid_${compiler}_${mpi} ALL DEPENDS ${program})
        endif()
        foreach(case openmp_imbalance serial_part healthy_hybrid)
            set(test causes.${case}.${compiler}.${mpi})
            set(turns 1)
            if(case STREQUAL healthy_hybrid) # For a long run: -DMPROF_HEALTHY_TURNS=20.
                set(turns ${MPROF_HEALTHY_TURNS})
            endif()
            add_test(NAME ${test}
                COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/run_hybrid.py
                    --mpi ${mpi} --mpirun=${MPROF_${mpi}_RUN} --library ${PROJECT_BINARY_DIR}/lib/libmprof.so
                    --mprof ${PROJECT_BINARY_DIR}/bin/mprof --time-limit 60 ${needs} ${program} ${case}
                    --turns ${turns})
            set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 RUN_SERIAL ON
                LABELS "causes;${mpi}")
        endforeach()
        foreach(hogs 1 2)
            set(test causes.beside_load_${hogs}.${compiler}.${mpi})
            add_test(NAME ${test}
                COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/run_hybrid.py
                    --mpi ${mpi} --mpirun=${MPROF_${mpi}_RUN} --library ${PROJECT_BINARY_DIR}/lib/libmprof.so
                    --mprof ${PROJECT_BINARY_DIR}/bin/mprof --time-limit 60 ${needs} ${program} healthy_hybrid
                    --hogs ${hogs} --turns ${MPROF_HEALTHY_TURNS})
            set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 RUN_SERIAL ON
                LABELS "causes;${mpi}")
        endforeach()
    endforeach()
endforeach()
