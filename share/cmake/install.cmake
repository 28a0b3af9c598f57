# What `cmake --install` puts where. The tree can be moved afterwards: nothing in it holds an absolute path.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/mprof")

# The other headers are what libmprof and the parser share; no program needs them.
install(FILES include/mprof/mprof.h include/mprof/mprof.f90 DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/mprof")
install(DIRECTORY share/doc/ DESTINATION "${CMAKE_INSTALL_DOCDIR}"
    FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg")
install(FILES README.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
# Their links to each other and to recipes, as seen from there. Links to sources stay: the sources are not installed.
file(RELATIVE_PATH recipes_from_documents
    "${CMAKE_INSTALL_FULL_DOCDIR}" "${CMAKE_INSTALL_FULL_DATADIR}/mprof/recipes")
install(CODE "set(documents_dir \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
set(recipes \"${recipes_from_documents}\")")
install(SCRIPT share/cmake/links_of_documents.cmake)

if(TARGET mprof)
    install(TARGETS mprof RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
    # Python's memory_profiler has a command of the name mprof, too.
    install(CODE "file(CREATE_LINK mprof \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/mprof-mpi\" SYMBOLIC)")
    set(texts "${PROJECT_BINARY_DIR}/parser/generated/commands")
    install(DIRECTORY "${texts}/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
    # Where each shell looks for its completion.
    install(FILES "${texts}/completions/bash/mprof" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
    install(FILES "${texts}/completions/zsh/_mprof" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
    install(FILES "${texts}/completions/fish/mprof.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")

    # Where the command looks for it, and where the modulefile lets Python find it.
    install(DIRECTORY python/mpiprof DESTINATION "${CMAKE_INSTALL_DATADIR}/mprof/python"
        FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "*_fields.tsv" PATTERN "__pycache__" EXCLUDE)

    file(RELATIVE_PATH module_prefix "${CMAKE_INSTALL_FULL_DATADIR}/modulefiles" "${CMAKE_INSTALL_PREFIX}")
    string(REGEX REPLACE "/$" "" module_prefix "${module_prefix}")
    configure_file(share/modulefiles/mprof.in "${PROJECT_BINARY_DIR}/package/modulefile" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/package/modulefile"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/modulefiles" RENAME mprof)
    install(DIRECTORY share/recipes DESTINATION "${CMAKE_INSTALL_DATADIR}/mprof")
    install(FILES share/demo/heat.c share/demo/stencil.py DESTINATION "${CMAKE_INSTALL_DATADIR}/mprof/demo")
endif()

if(TARGET mprof_preload)
    # Linked into a program instead of preloaded, the library must come before the MPI's own, even though at link
    # time nothing may need it yet.
    set_target_properties(mprof_preload PROPERTIES EXPORT_NAME mprof)
    target_include_directories(mprof_preload INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    target_link_options(mprof_preload INTERFACE "$<INSTALL_INTERFACE:LINKER:--no-as-needed>")

    install(TARGETS mprof_preload EXPORT mprof-targets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
    install(EXPORT mprof-targets NAMESPACE mprof:: DESTINATION "${package_dir}")

    configure_package_config_file(share/cmake/mprof-config.cmake.in
        "${PROJECT_BINARY_DIR}/package/mprof-config.cmake" INSTALL_DESTINATION "${package_dir}"
        NO_SET_AND_CHECK_MACRO)
    write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/mprof-config-version.cmake"
        COMPATIBILITY SameMajorVersion)
    install(FILES "${PROJECT_BINARY_DIR}/package/mprof-config.cmake"
        "${PROJECT_BINARY_DIR}/package/mprof-config-version.cmake" DESTINATION "${package_dir}")

    set(pc_dir "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
    file(RELATIVE_PATH pc_prefix "${pc_dir}" "${CMAKE_INSTALL_PREFIX}")
    string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
    file(RELATIVE_PATH pc_libdir "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_LIBDIR}")
    file(RELATIVE_PATH pc_includedir "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
    configure_file(share/cmake/mprof.pc.in "${PROJECT_BINARY_DIR}/package/mprof.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/package/mprof.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endif()
