# Programs with OpenMP, of GCC (libgomp) and of Clang (libomp). Included per MPI by CMakeLists.txt, which sets mpi and folder.
set(source ${CMAKE_CURRENT_SOURCE_DIR}/programs/openmp.c)
mprof_mpi_build(${mpi} ${folder}/openmp_gcc "${${mpi}_cc}" ${source} -std=c11 -fopenmp)
mprof_mpi_build(${mpi} ${folder}/openmp_library.so "${${mpi}_cc}"
    ${CMAKE_CURRENT_SOURCE_DIR}/programs/openmp_library.c -std=c11 -fopenmp -shared -fPIC)
mprof_mpi_build(${mpi} ${folder}/openmp_loader "${${mpi}_cc}"
    ${CMAKE_CURRENT_SOURCE_DIR}/programs/openmp_loader.c -std=c11 -ldl)
mprof_mpi_test(openmp.gcc ${mpi} run_openmp.py 4 60 gcc ${folder}/openmp_gcc)
mprof_mpi_test(openmp.loader ${mpi} run_openmp.py 2 60 loader ${folder}/openmp_loader ${folder}/openmp_library.so)

if(MPROF_CLANG_HAS_OPENMP)
    # Open MPI's and MPICH's wrappers take their compiler from the environment.
    set(gcc_options ${options})
    list(FILTER options EXCLUDE REGEX stringop) # Clang does not know these
    mprof_mpi_build(${mpi} ${folder}/openmp_clang
        "${CMAKE_COMMAND};-E;env;OMPI_CC=clang;MPICH_CC=clang;${${mpi}_cc}" ${source}
        -std=c11 -Wno-unused-command-line-argument -fopenmp)
    set(options ${gcc_options})
endif()
foreach(case clang other_tool disabled)
    mprof_mpi_test(openmp.${case} ${mpi} run_openmp.py 4 60 --needs clang:-fopenmp ${case} ${folder}/openmp_clang)
endforeach()
