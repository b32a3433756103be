# install: headers, library, `tess`, programs, and the two ways to compile against them (find_package and `tess c++`).
include(CMakePackageConfigHelpers)

# share/tessera/build.json says how to compile against this tree; `tess c++` reads it, replacing ${prefix}.
function(tess_write_build_json file include_directory)
  set(linker -pthread ${TESS_USER_LINK_OPTIONS})
  set(compile -I${include_directory} ${TESS_USER_COMPILE_OPTIONS})
  set(compile_shared ${TESS_SHARED_COMPILE_OPTIONS})
  set(link "\${prefix}/lib/libtessera.a" ${linker} ${TESS_PROGRAM_LINK_OPTIONS})
  set(link_shared -shared ${linker} ${TESS_SHARED_LINK_OPTIONS})
  set(compile_machine -I${include_directory} ${TESS_RISCV_TARGET_OPTIONS})
  set(link_machine ${TESS_RISCV_LINK_OPTIONS})
  set(text "")
  foreach(key IN ITEMS compile link compile_shared link_shared compile_machine link_machine)
    list(TRANSFORM ${key} REPLACE "(.+)" "\"\\1\"")
    list(JOIN ${key} ", " options)
    list(APPEND text "\"${key}\": [${options}]")
  endforeach()
  list(JOIN text ",\n " text)
  file(CONFIGURE OUTPUT ${file} CONTENT "{${text}}\n" @ONLY)
endfunction()

tess_write_build_json(${PROJECT_BINARY_DIR}/share/tessera/build.json ${PROJECT_SOURCE_DIR}/include)
tess_write_build_json(${PROJECT_BINARY_DIR}/install/build.json "\${prefix}/include")
configure_file(deps/packages.txt ${PROJECT_BINARY_DIR}/share/tessera/packages.txt COPYONLY)
install(FILES ${PROJECT_BINARY_DIR}/install/build.json deps/packages.txt LICENSE DESTINATION share/tessera)

if(TARGET tess_cli)
  install(TARGETS tess_cli DESTINATION bin)
endif()

if(TARGET tessera)
  add_dependencies(tess_programs tessera)  # `tess c++` needs the library even where no program does
  install(DIRECTORY include/tess DESTINATION include)
  # User code must be compiled with the same sanitizers and checks as the library.
  target_link_libraries(tessera INTERFACE tess_build)
  target_link_libraries(tessera_shared INTERFACE tess_build)
  install(TARGETS tessera tessera_shared tess_build EXPORT tessera ARCHIVE DESTINATION lib)
  install(EXPORT tessera NAMESPACE tessera:: FILE tesseraTargets.cmake DESTINATION lib/cmake/tessera)
  configure_package_config_file(cmake/tesseraConfig.cmake.in ${PROJECT_BINARY_DIR}/install/tesseraConfig.cmake
    INSTALL_DESTINATION lib/cmake/tessera)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/install/tesseraConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES
    ${PROJECT_BINARY_DIR}/install/tesseraConfig.cmake ${PROJECT_BINARY_DIR}/install/tesseraConfigVersion.cmake
    DESTINATION lib/cmake/tessera)
endif()
