# googletest: find_package(GTest) means Debian's sources, built in every preset: sanitizers see them and RV64 has them.
# Without the sources the programs can still be built; `./tess test` installs them first.
include(FetchContent)
include(GoogleTest)
set(TESS_GOOGLETEST /usr/src/googletest CACHE PATH "folder of GoogleTest's sources")

if(EXISTS ${TESS_GOOGLETEST}/CMakeLists.txt)
  set(BUILD_GMOCK OFF CACHE INTERNAL "")
  set(INSTALL_GTEST OFF CACHE INTERNAL "")
  FetchContent_Declare(GTest SOURCE_DIR ${TESS_GOOGLETEST} OVERRIDE_FIND_PACKAGE)
  find_package(GTest REQUIRED)
  target_link_libraries(gtest PRIVATE tess_build)
  target_compile_options(gtest PRIVATE -O0)
else()
  message(STATUS "tests are left out: no ${TESS_GOOGLETEST}; `./tess setup test` installs it")
endif()
