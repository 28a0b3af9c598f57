# Eleven programs of the zoo, the first screen of each and of its twin. Included by CMakeLists.txt. The whole zoo by hand:
# tests/causes/zoo/score.py --score.
add_test(NAME causes.zoo.openmpi
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/zoo/score.py --all-right
        --mprof ${PROJECT_BINARY_DIR}/bin/mprof --build ${CMAKE_CURRENT_BINARY_DIR}/zoo
        --mpi openmpi --mpirun-openmpi=${MPROF_openmpi_RUN} --cc-openmpi=${MPROF_openmpi_CC}
        --conditions free twice
        --programs "^(uneven[.](fixed|late_root)|blocked[.](sleeping|helper)|kernel[.]fresh_pages|neurons[.]trimmed_heap|messages[.](small_messages|transpose)|turns[.](chain|moving)|healthy[.]stencil)$")
set_tests_properties(causes.zoo.openmpi PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 RUN_SERIAL ON LABELS "causes;openmpi")
# Causes that are known by name, and programs that look alike and must not be called so.
add_test(NAME causes.zoo.particular.openmpi
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/zoo/score.py --all-right
        --mprof ${PROJECT_BINARY_DIR}/bin/mprof --build ${CMAKE_CURRENT_BINARY_DIR}/zoo
        --mpi openmpi --mpirun-openmpi=${MPROF_openmpi_RUN} --cc-openmpi=${MPROF_openmpi_CC}
        --conditions free
        --programs "^(masters[.](dealer|collector|long_root)|(sizes|overlap|locks)[.].*|rare[.](rebuild|even_output|every_other)|objects[.](share_table|settings))$")
set_tests_properties(causes.zoo.particular.openmpi PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 RUN_SERIAL ON
    LABELS "causes;openmpi")
# Ranks on two nodes, one of them two programs. As root.
add_test(NAME causes.zoo.nodes.openmpi
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/zoo/score.py --all-right
        --mprof ${PROJECT_BINARY_DIR}/bin/mprof --build ${CMAKE_CURRENT_BINARY_DIR}/zoo
        --mpi openmpi --mpirun-openmpi=${MPROF_openmpi_RUN} --cc-openmpi=${MPROF_openmpi_CC}
        --conditions nodes --programs "^(uneven[.]fixed|coupled[.]slow_ocean)$")
set_tests_properties(causes.zoo.nodes.openmpi PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300 RUN_SERIAL ON
    LABELS "causes;openmpi")
# Memory whose owner computes: with MPICH nobody answers for it meanwhile.
add_test(NAME causes.zoo.targets.mpich
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/zoo/score.py --all-right
        --mprof ${PROJECT_BINARY_DIR}/bin/mprof --build ${CMAKE_CURRENT_BINARY_DIR}/zoo
        --mpi mpich --mpirun-mpich=${MPROF_mpich_RUN} --cc-mpich=${MPROF_mpich_CC}
        --conditions free --programs "^targets[.]")
set_tests_properties(causes.zoo.targets.mpich PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300 RUN_SERIAL ON LABELS "causes;mpich")
