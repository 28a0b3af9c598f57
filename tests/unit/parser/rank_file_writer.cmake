# The library that composes rank files. The unit tests, the golden files and the refused files all use it.
if(NOT TARGET mprof_rank_file_writer)
    add_library(mprof_rank_file_writer STATIC
        "${CMAKE_CURRENT_LIST_DIR}/rank_file_writer.cc" "${CMAKE_CURRENT_LIST_DIR}/rank_file_writer.h")
    set_target_properties(mprof_rank_file_writer PROPERTIES MPROF_RUNS_LONG ON)
    target_include_directories(mprof_rank_file_writer PUBLIC "${CMAKE_CURRENT_LIST_DIR}")
    target_link_libraries(mprof_rank_file_writer
        PUBLIC mprof_format PRIVATE mprof_warnings mprof_zstd)
endif()
