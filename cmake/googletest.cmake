# googletest: built from Debian's sources in every preset, so that sanitizers see it and RV64 has it.
# Without them the programs can still be built; `./tess test` installs them first.
include(GoogleTest)
set(TESS_GOOGLETEST /usr/src/googletest/googletest CACHE PATH "folder of GoogleTest's sources")

if(EXISTS ${TESS_GOOGLETEST}/src/gtest-all.cc)
  add_library(tess_gtest STATIC EXCLUDE_FROM_ALL
    ${TESS_GOOGLETEST}/src/gtest-all.cc ${TESS_GOOGLETEST}/src/gtest_main.cc)
  target_include_directories(tess_gtest SYSTEM PUBLIC ${TESS_GOOGLETEST}/include)
  target_include_directories(tess_gtest PRIVATE ${TESS_GOOGLETEST})
  find_package(Threads REQUIRED)
  target_link_libraries(tess_gtest PUBLIC Threads::Threads PRIVATE tess_build)
else()
  message(STATUS "tests are left out: no ${TESS_GOOGLETEST}; `./tess setup test` installs it")
endif()
