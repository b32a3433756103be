# install: headers, library, `tess`, programs, and the ways to compile against them (find_package, pkg-config, c++).
#
#   Components: command (what runs programs), wrappers (its other names), development (what compiles programs), bench,
#   documentation. What has not been built is not installed. cmake/package.cmake makes packages of them.
include(CMakePackageConfigHelpers)

# share/tessera/build.json says how to compile against this tree; `tess c++` reads it, replacing ${prefix}.
function(tess_write_build_json file include_directory)
  set(linker -pthread ${TESS_USER_LINK_OPTIONS})
  set(compile -I${include_directory} ${ARGN} ${TESS_USER_COMPILE_OPTIONS})
  set(compile_shared ${TESS_SHARED_COMPILE_OPTIONS})
  set(link "\${prefix}/lib/libtessera.a" ${linker} ${TESS_PROGRAM_LINK_OPTIONS})
  set(link_shared -shared ${linker} ${TESS_SHARED_LINK_OPTIONS})
  set(compile_machine -I${include_directory} ${ARGN} ${TESS_RISCV_TARGET_OPTIONS})
  set(link_machine ${TESS_RISCV_LINK_OPTIONS})
  set(link_movable_begin ${TESS_RISCV_MOVABLE_BEGIN})
  set(link_movable_end ${TESS_RISCV_MOVABLE_END})
  set(link_shmem "-L\${prefix}/lib" -Wl,--push-state,--as-needed -lshmem -Wl,--pop-state "-Wl,-rpath,\${prefix}/lib")
  set(link_shmem_machine "\${prefix}/lib/libshmem-riscv64.a" -lstdc++ -lm)
  set(runtime_machine "\${prefix}/lib/riscv64/libtessera.a")
  set(link_runtime_machine -Wl,--undefined-glob=_ZN4tess*)
  set(compile_races ${TESS_RACES_COMPILE_OPTIONS} -Xclang "-fsanitize-ignorelist=\${prefix}/share/tessera/races.txt")
  set(link_races "\${prefix}/lib/libtessera-races.a" -pthread ${TESS_RACES_LINK_OPTIONS})
  set(compile_shmem_races ${TESS_REPORT_ACCESSES_OPTIONS} -Wno-unused-command-line-argument)
  set(link_shmem_races "\${prefix}/lib/libshmem-races.a")
  set(text "")
  foreach(key IN ITEMS compile link compile_shared link_shared compile_machine link_machine runtime_machine
                   link_runtime_machine compile_races link_races link_shmem link_shmem_machine compile_shmem_races
                   link_shmem_races link_movable_begin link_movable_end)
    list(TRANSFORM ${key} REPLACE "(.+)" "\"\\1\"")
    list(JOIN ${key} ", " options)
    list(APPEND text "\"${key}\": [${options}]")
  endforeach()
  list(JOIN text ",\n " text)
  file(CONFIGURE OUTPUT ${file} CONTENT "{${text}}\n" @ONLY)
endfunction()

tess_write_build_json(${PROJECT_BINARY_DIR}/share/tessera/build.json ${PROJECT_SOURCE_DIR}/include
  -I${PROJECT_BINARY_DIR}/include)
tess_write_build_json(${PROJECT_BINARY_DIR}/install/build.json "\${prefix}/include")
configure_file(share/races.txt ${PROJECT_BINARY_DIR}/share/tessera/races.txt COPYONLY)
install(FILES share/races.txt DESTINATION share/tessera COMPONENT development)
configure_file(deps/packages.txt ${PROJECT_BINARY_DIR}/share/tessera/packages.txt COPYONLY)
install(FILES ${PROJECT_BINARY_DIR}/install/build.json DESTINATION share/tessera COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/share/tessera/programs.txt deps/packages.txt LICENSE DESTINATION share/tessera
  COMPONENT command)
install(FILES share/gdb/tess.py DESTINATION share/tessera/gdb COMPONENT command)
install(FILES share/completions/tess.bash DESTINATION share/bash-completion/completions RENAME tess COMPONENT command)
install(FILES share/completions/_tess DESTINATION share/zsh/vendor-completions COMPONENT command)
# Written by tools/man_pages.py, from what the command says of itself.
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man DESTINATION share COMPONENT command OPTIONAL)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/build/docs/html DESTINATION share/doc/tessera-doc COMPONENT documentation
  OPTIONAL)

if(TARGET tess_cli)
  install(TARGETS tess_cli DESTINATION bin COMPONENT command)
  # The names that OpenSHMEM's compilers and launcher have elsewhere. A Debian package makes them alternatives instead.
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  foreach(name IN ITEMS oshcc oshc++ oshrun)
    file(CREATE_LINK tess ${PROJECT_BINARY_DIR}/bin/${name} SYMBOLIC)
    install(FILES ${PROJECT_BINARY_DIR}/bin/${name} DESTINATION bin COMPONENT wrappers)
  endforeach()
endif()

if(TARGET tessera)
  add_dependencies(tess_programs tessera)  # `tess c++` needs the library even where no program does
  install(DIRECTORY include/tess DESTINATION include COMPONENT development)
  # User code must be compiled with the same sanitizers and checks as the library.
  target_link_libraries(tessera INTERFACE tess_build)
  target_link_libraries(tessera_shared INTERFACE tess_build)
  install(TARGETS tessera tessera_shared tess_build EXPORT tessera ARCHIVE DESTINATION lib COMPONENT development)
  if(TARGET tess_races)
    install(TARGETS tess_races ARCHIVE DESTINATION lib COMPONENT development OPTIONAL)
  endif()
  install(EXPORT tessera NAMESPACE tessera:: FILE tesseraTargets.cmake DESTINATION lib/cmake/tessera
    COMPONENT development)
  configure_package_config_file(cmake/tesseraConfig.cmake.in ${PROJECT_BINARY_DIR}/install/tesseraConfig.cmake
    INSTALL_DESTINATION lib/cmake/tessera)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/install/tesseraConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES
    ${PROJECT_BINARY_DIR}/install/tesseraConfig.cmake ${PROJECT_BINARY_DIR}/install/tesseraConfigVersion.cmake
    DESTINATION lib/cmake/tessera COMPONENT development)
  # `pkg-config --cflags --libs tessera` with any build system; relative, so that the prefix may be moved.
  list(JOIN TESS_PROGRAM_LINK_OPTIONS " " link_options)
  list(JOIN TESS_USER_COMPILE_OPTIONS " " compile_options)
  configure_file(cmake/tessera.pc.in ${PROJECT_BINARY_DIR}/install/tessera.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/install/tessera.pc DESTINATION lib/pkgconfig COMPONENT development)
  # Remote memory for C programs, with a stable interface: tess/rmem.h and nothing else.
  if(TARGET tess_rmem_c)
    install(TARGETS tess_rmem_c LIBRARY DESTINATION lib COMPONENT command NAMELINK_COMPONENT development OPTIONAL)
    configure_file(cmake/tessera-rmem.pc.in ${PROJECT_BINARY_DIR}/install/tessera-rmem.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/install/tessera-rmem.pc DESTINATION lib/pkgconfig COMPONENT development)
  endif()
endif()
