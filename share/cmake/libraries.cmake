# The libraries that the mprof command cannot do without; the top-level CMakeLists.txt includes this. What is not found is said in
# one block, with the ways out. With MPROF_FETCH it is built from sources first. Those that serve one command alone are optional:
# parser/CMakeLists.txt looks for them.
# Sets: targets CLI11::CLI11, fmt::fmt, nlohmann_json::nlohmann_json, ZLIB::ZLIB, mprof_zstd; MPROF_LIBELF, MPROF_LIBELF_INCLUDE,
# MPROF_LIBDW, MPROF_LIBDW_INCLUDE.

# Sets mprof_missing: the names of what is not there.
macro(mprof_find_libraries)
    set(mprof_missing "")
    include(CheckLanguage)
    check_language(CXX)
    if(CMAKE_CXX_COMPILER)
        enable_language(CXX)
    endif()
    if(NOT CMAKE_CXX_COMPILER OR NOT CMAKE_CXX20_STANDARD_COMPILE_OPTION)
        list(APPEND mprof_missing CXX)
    endif()
    find_package(Threads QUIET)
    foreach(package_and_target CLI11,CLI11::CLI11 nlohmann_json,nlohmann_json::nlohmann_json fmt,fmt::fmt)
        string(REPLACE "," ";" words ${package_and_target})
        list(GET words 0 package)
        list(GET words 1 target)
        if(NOT TARGET ${target})
            find_package(${package} QUIET)
        endif()
        if(NOT TARGET ${target})
            list(APPEND mprof_missing ${package})
        endif()
    endforeach()
    # The static library, so that the command needs no other one.
    find_package(zstd CONFIG QUIET)
    find_library(MPROF_ZSTD NAMES zstd)
    find_path(MPROF_ZSTD_INCLUDE NAMES zstd.h)
    if(NOT TARGET zstd::libzstd_static AND NOT (MPROF_ZSTD AND MPROF_ZSTD_INCLUDE))
        list(APPEND mprof_missing zstd)
    endif()
    find_package(ZLIB QUIET)
    if(NOT TARGET ZLIB::ZLIB)
        list(APPEND mprof_missing zlib)
    endif()
    find_library(MPROF_LIBELF NAMES elf)
    find_path(MPROF_LIBELF_INCLUDE NAMES gelf.h)
    if(NOT MPROF_LIBELF OR NOT MPROF_LIBELF_INCLUDE)
        list(APPEND mprof_missing elfutils)
    endif()
    find_library(MPROF_LIBDW NAMES dw)
    find_path(MPROF_LIBDW_INCLUDE NAMES elfutils/libdw.h elfutils/libdwelf.h)
endmacro()

# One block: what is missing, and how to go on.
function(mprof_say_missing)
    set(rows "")
    foreach(name IN LISTS mprof_missing)
        if(name STREQUAL "CXX")
            string(APPEND rows "    a C++20 compiler (GCC 10 or later): CXX=g++-12 names another one\n")
            set(MPROF_CXX_SPACK gcc) # which provides what a recipe calls cxx
        else()
            string(APPEND rows "    ${name}, for ${MPROF_${name}_PURPOSE}\n")
        endif()
        foreach(system DEBIAN FEDORA SPACK CONDA)
            string(APPEND packages_${system} " ${MPROF_${name}_${system}}")
        endforeach()
    endforeach()
    message(FATAL_ERROR "The mprof command needs what is not found here:\n${rows}"
        "  Each of these ways leads on:\n"
        "    Debian, Ubuntu       apt-get install${packages_DEBIAN}\n"
        "    Fedora, RHEL         dnf install${packages_FEDORA}\n"
        "    Spack, no root       spack install${packages_SPACK} && spack load${packages_SPACK}\n"
        "    conda, no root       conda install -c conda-forge${packages_CONDA}\n"
        "                         cmake -B build -DCMAKE_PREFIX_PATH=$CONDA_PREFIX\n"
        "    from sources         cmake -B build -DMPROF_FETCH=ON: source packages, by apt-get, no root\n"
        "                         cmake -B build -DMPROF_FETCH=FOLDER: source archives that you put there\n"
        "    another place        cmake -B build -DCMAKE_PREFIX_PATH=FOLDER\n"
        "    without the command  cmake -B build -DMPROF_PARSER=OFF: libmprof.so alone needs a C compiler and\n"
        "                         python3. Reports are made on another machine then.\n")
endfunction()

# Builds what is missing into the build folder, where the next search finds it.
macro(mprof_fetch_libraries)
    set(fetched "${PROJECT_BINARY_DIR}/fetched")
    list(PREPEND CMAKE_PREFIX_PATH "${fetched}/libraries")
    find_package(Python3 COMPONENTS Interpreter REQUIRED)
    set(archives "")
    if(IS_DIRECTORY "${MPROF_FETCH}")
        set(archives --archives "${MPROF_FETCH}")
    endif()
    execute_process(COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/share/package/fetch_libraries.py"
        "${fetched}" --cc "${CMAKE_C_COMPILER}" --cxx "${CMAKE_CXX_COMPILER}" ${archives} ${mprof_missing}
        RESULT_VARIABLE fetch_failed)
    if(fetch_failed)
        message(STATUS "MPROF_FETCH could not get everything (see above)")
    endif()
endmacro()

mprof_find_libraries()
if(mprof_missing AND MPROF_FETCH AND NOT "CXX" IN_LIST mprof_missing)
    mprof_fetch_libraries()
    mprof_find_libraries()
endif()
if(mprof_missing)
    mprof_say_missing()
endif()

add_library(mprof_zstd INTERFACE)
if(TARGET zstd::libzstd_static)
    target_link_libraries(mprof_zstd INTERFACE zstd::libzstd_static)
else()
    target_link_libraries(mprof_zstd INTERFACE "${MPROF_ZSTD}")
    target_include_directories(mprof_zstd SYSTEM INTERFACE "${MPROF_ZSTD_INCLUDE}")
endif()

# Shared libraries that were built here go beside the command, which looks for them there.
set(MPROF_SHARED_BESIDE "")
foreach(library IN ITEMS "${MPROF_LIBELF}" "${MPROF_LIBDW}")
    string(FIND "${library}" "${PROJECT_BINARY_DIR}/fetched/" place)
    if(place EQUAL 0)
        list(APPEND MPROF_SHARED_BESIDE "${library}.1")
    endif()
endforeach()
if(MPROF_SHARED_BESIDE)
    file(RELATIVE_PATH beside "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}/mprof")
    list(APPEND CMAKE_INSTALL_RPATH "$ORIGIN/${beside}")
    install(FILES ${MPROF_SHARED_BESIDE} DESTINATION "${CMAKE_INSTALL_LIBDIR}/mprof")
endif()
