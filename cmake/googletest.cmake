# googletest: Debian's sources, built in every preset: sanitizers see them and RV64 has them.
# Without the sources the programs can still be built; `./tess test` installs them first.
include(GoogleTest)
set(TESS_GOOGLETEST /usr/src/googletest CACHE PATH "folder of GoogleTest's sources")

if(EXISTS ${TESS_GOOGLETEST}/CMakeLists.txt)
  set(BUILD_GMOCK OFF CACHE INTERNAL "")
  set(INSTALL_GTEST OFF CACHE INTERNAL "")
  # It looks for a Python, for its own tests only, and that takes seconds.
  set(CMAKE_DISABLE_FIND_PACKAGE_Python ON)
  add_subdirectory(${TESS_GOOGLETEST} ${PROJECT_BINARY_DIR}/googletest EXCLUDE_FROM_ALL SYSTEM)
  unset(CMAKE_DISABLE_FIND_PACKAGE_Python)
  target_link_libraries(gtest PRIVATE tess_build)
  target_compile_options(gtest PRIVATE -O0)
else()
  message(STATUS "tests are left out: no ${TESS_GOOGLETEST}; `./tess setup test` installs it")
endif()
