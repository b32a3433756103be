# targets: the three kinds of executable, each in the folder where `tess` looks for it.
#
#   tess_program(NAME SOURCES...)   libexec/tessera/NAME        run as `tess run NAME`; target NAME
#   tess_bench(NAME SOURCES...)     libexec/tessera/bench/NAME  run as `tess bench NAME`; target NAME_bench
#   tess_test(NAME SOURCES... [SLOW] [OPTIMIZED] [LINK LIBRARIES...])
#                                   GoogleTest cases; target NAME
#
# All link the runtime, the latter two remote memory, too. Anything else a program needs is added by its own CMakeLists:
#   tess_program(bfs bfs.cpp)
#   target_link_libraries(bfs PRIVATE fmt::fmt)
# The build tree has the shape of the installed one: bin, lib, libexec/tessera, share/tessera.

set(TESS_PROGRAM_DIRECTORY ${PROJECT_BINARY_DIR}/libexec/tessera)
add_custom_target(tess_programs)
add_custom_target(tess_benches)

# Files that instantiate an engine of harts compute with the host's floating-point unit in the guest's mode.
set(TESS_HART_COMPILE_OPTIONS -frounding-math -ffp-exception-behavior=strict -ffp-contract=off -fno-math-errno)

# Programs for the simulated machine are cross-compiled one by one, where Debian's cross compiler lends its libraries.
find_program(TESS_RISCV_GCC riscv64-linux-gnu-g++)
set(TESS_RISCV_TARGET_OPTIONS --target=riscv64-linux-gnu -march=rv64gc)
set(TESS_RISCV_LINK_OPTIONS -static -fuse-ld=lld -pthread)
# For several copies of a program in one tile: an image that the simulator moves. Debian has no startup code for
# -static-pie, and needs none here.
set(TESS_RISCV_MOVABLE_BEGIN -nostartfiles -l:crt1.o -l:crti.o -l:crtbeginS.o)
set(TESS_RISCV_MOVABLE_END -Wl,-pie,--no-dynamic-linker -l:crtendS.o -l:crtn.o)
set(TESS_RISCV_COMPILE_OPTIONS ${TESS_RISCV_TARGET_OPTIONS} -O2 ${TESS_RISCV_LINK_OPTIONS})

# Code for machine mode, on the system's hart: no library, no registers of floating point, linked to its place.
set(TESS_SYSTEM_SCRIPT ${PROJECT_SOURCE_DIR}/src/system/system.ld)
set(TESS_SYSTEM_COMPILE_OPTIONS ${TESS_RISCV_TARGET_OPTIONS} -O2 -mcmodel=medany -mno-implicit-float -ffreestanding
    -fno-exceptions -fno-rtti -fno-pic -nostdlib -static -fuse-ld=lld -Wall -Wextra -T ${TESS_SYSTEM_SCRIPT})

# Programs whose accesses are checked for races. Their code reports each load and store, as for ThreadSanitizer, to the
# library tess_races; code of the runtime's headers does not, and is not inlined into code that does. Frames are linked
# and calls return to their lines, so that an access in a function of the system's headers is shown with the line that
# called it.
set(TESS_REPORT_ACCESSES_OPTIONS
  -g -fno-optimize-sibling-calls -mllvm -tsan-instrument-func-entry-exit=0
  # Loads and stores of more than 16 bytes at a time would not be reported.
  -fno-vectorize -fno-slp-vectorize
  # By -Xclang: to the linker, -fsanitize=thread would mean the compiler's own library.
  -Xclang -fsanitize=thread)
set(TESS_RACES_COMPILE_OPTIONS -DTESS_RACES=1 -fno-omit-frame-pointer -Dalways_inline=noinline
  ${TESS_REPORT_ACCESSES_OPTIONS})
# Locks of the program alone; those of the runtime say nothing about it.
foreach(lock IN ITEMS mutex_lock mutex_trylock mutex_unlock rwlock_rdlock rwlock_wrlock rwlock_unlock)
  list(APPEND TESS_RACES_COMPILE_OPTIONS -Dpthread_${lock}=tess_races_${lock})
endforeach()
set(TESS_RACES_LINK_OPTIONS -fuse-ld=lld -Wl,--undefined-glob=_ZN4tess*)
foreach(function IN ITEMS malloc calloc realloc aligned_alloc posix_memalign mmap __cxa_guard_release)
  list(APPEND TESS_RACES_LINK_OPTIONS -Wl,--wrap=${function})
endforeach()

# What many files include is parsed once for the library and programs, once for benchmarks and once for tests; that
# spares a third of the compiler's time. Builds for the simulated machine compile the library without, which shows that
# each file includes what it needs; public headers are compiled alone by the test of the installation.
set(TESS_PRECOMPILED_STANDARD_HEADERS
  <algorithm> <chrono> <filesystem> <fstream> <map> <random> <sstream> <thread> <unordered_map>)
function(tess_precompile_headers)
  foreach(kind IN ITEMS program bench test)
    add_library(tess_${kind}_headers OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/headers.cpp)
    target_include_directories(tess_${kind}_headers PRIVATE ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(tess_${kind}_headers PRIVATE tess_warnings tess_build)
    # ccache compares contents, not times.
    target_compile_options(tess_${kind}_headers PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    target_precompile_headers(tess_${kind}_headers PRIVATE ${TESS_PRECOMPILED_STANDARD_HEADERS} <tess/tess.hpp>)
  endforeach()
  if(NOT CMAKE_CROSSCOMPILING)
    target_precompile_headers(tess_program_headers PRIVATE <fmt/format.h>)
  endif()
  find_path(TESS_CLI11_INCLUDE CLI/CLI.hpp)
  if(TESS_CLI11_INCLUDE)
    target_precompile_headers(tess_bench_headers PRIVATE <CLI/CLI.hpp>)
  endif()
  # Templates that the headers use themselves are instantiated once.
  target_compile_options(tess_test_headers PRIVATE ${TESS_TEST_OPTIMIZATION} -fpch-instantiate-templates)
  if(TARGET GTest::gtest_main)
    target_link_libraries(tess_test_headers PRIVATE GTest::gtest_main)
    target_precompile_headers(tess_test_headers PRIVATE <gtest/gtest.h>)
  endif()
endfunction()

# A target's files of one folder become one file for the compiler. More words name folders that join the one above.
function(tess_compile_folders_together target)
  if(TESS_FILE_BY_FILE)
    return()
  endif()
  get_target_property(files ${target} SOURCES)
  foreach(file IN LISTS files)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE group)
    cmake_path(RELATIVE_PATH group BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    cmake_path(GET group PARENT_PATH group)
    if(file MATCHES "\\.cpp$")
      cmake_path(GET group FILENAME folder)
      if(folder IN_LIST ARGN)
        cmake_path(GET group PARENT_PATH group)
      endif()
      string(MAKE_C_IDENTIFIER "${group}" group)
      set_source_files_properties(${file} PROPERTIES UNITY_GROUP "${group}")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# tess_use_headers(KIND TARGETS...): compiled with the precompiled headers of a kind.
function(tess_use_headers kind)
  foreach(target IN LISTS ARGN)
    set_property(TARGET ${target} PROPERTY PRECOMPILE_HEADERS_REUSE_FROM tess_${kind}_headers)
    add_dependencies(${target} tess_${kind}_headers)
  endforeach()
endfunction()

# The part that benchmarks and tests share; they link the whole library.
function(tess_executable target)
  add_executable(${target} ${ARGN})
  tess_use_headers(program ${target})
  target_link_libraries(${target} PRIVATE tess_warnings tess_build tessera::tessera)
endfunction()

function(tess_program name)
  add_executable(${name} ${ARGN})
  tess_use_headers(program ${name})
  target_link_libraries(${name} PRIVATE tess_warnings tess_build tess_program_library)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${TESS_PROGRAM_DIRECTORY})
  add_dependencies(tess_programs ${name})
  set_property(GLOBAL APPEND PROPERTY TESS_PROGRAM_NAMES ${name})
  install(TARGETS ${name} DESTINATION libexec/tessera COMPONENT command OPTIONAL)
endfunction()

function(tess_bench name)
  tess_executable(${name}_bench ${ARGN})
  tess_use_headers(bench ${name}_bench)
  set_target_properties(${name}_bench PROPERTIES
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${TESS_PROGRAM_DIRECTORY}/bench
    # `tess bench` builds what it runs; the tests only look whether they compile.
    EXCLUDE_FROM_ALL ON)
  add_dependencies(tess_benches ${name}_bench)
  set_property(GLOBAL APPEND PROPERTY TESS_BENCH_NAMES ${name})
  install(TARGETS ${name}_bench DESTINATION libexec/tessera/bench COMPONENT bench OPTIONAL)
endfunction()

# share/tessera/programs.txt and benches.txt list what can be built and run by name, one name a line.
function(tess_write_names)
  set(TESS_KINDS PROGRAM BENCH)
  set(TESS_PLURALS programs benches)
  foreach(kind plural IN ZIP_LISTS TESS_KINDS TESS_PLURALS)
    get_property(names GLOBAL PROPERTY TESS_${kind}_NAMES)
    list(SORT names)
    list(JOIN names "\n" text)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/share/tessera/${plural}.txt CONTENT "${text}\n" @ONLY)
  endforeach()
endfunction()

# The files of tests themselves need little speed, which halves the compiler's time; the library that they test is
# compiled as users get it. Simulated, they need it.
if(CMAKE_CROSSCOMPILING)
  set(TESS_TEST_OPTIMIZATION -O1)
elseif(TESS_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL Release)
  set(TESS_TEST_OPTIMIZATION -O0)
endif()

# Tests carry the label `fast` or, with SLOW, `slow`; `./tess test` runs the slow ones only with --full. OPTIMIZED: also
# what the headers make inline is compiled as users get it.
function(tess_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SLOW;OPTIMIZED" "" "LINK")
  tess_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  if(NOT arg_OPTIMIZED OR TESS_SANITIZE)
    tess_use_headers(test ${name})
    target_compile_options(${name} PRIVATE ${TESS_TEST_OPTIMIZATION})
  endif()
  target_link_libraries(${name} PRIVATE GTest::gtest_main ${arg_LINK})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  if(arg_SLOW)
    set(properties LABELS slow TIMEOUT 900)
  else()
    set(properties LABELS fast TIMEOUT 120)
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 120 TEST_PREFIX "${name}." PROPERTIES ${properties})
endfunction()

# ISA-L, which decompresses graphs, as ISAL::ISAL. Debian has no module of CMake for it.
function(tess_find_isal)
  if(TARGET ISAL::ISAL)
    return()
  endif()
  find_path(TESS_ISAL_INCLUDE isa-l/igzip_lib.h REQUIRED)
  find_library(TESS_ISAL_LIBRARY isal REQUIRED)
  add_library(ISAL::ISAL INTERFACE IMPORTED GLOBAL)
  target_include_directories(ISAL::ISAL INTERFACE ${TESS_ISAL_INCLUDE})
  target_link_libraries(ISAL::ISAL INTERFACE ${TESS_ISAL_LIBRARY})
endfunction()
