# package: Debian packages by CPack: tessera, libtessera-dev and tessera-doc; `./tess package` builds what they hold.
# CPack packs what has been built, and builds nothing more.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tessera)
set(CPACK_PACKAGE_VENDOR Tessera)
set(CPACK_PACKAGE_CONTACT "the developers of Tessera <tessera@localhost>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_OUTPUT_FILE_PREFIX ${CPACK_PACKAGE_DIRECTORY})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL command development documentation)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME tessera)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
# The two libraries are loaded at run time, and only for places as processes.
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS "python3, libucx0, libpmix2, openmpi-bin")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "libtessera-dev, tessera-doc")
# oshrun, oshcc and oshc++ beside those of Debian's Open MPI.
set(CPACK_DEBIAN_COMMAND_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/preinst
  ${PROJECT_SOURCE_DIR}/cmake/debian/postinst ${PROJECT_SOURCE_DIR}/cmake/debian/prerm
  ${PROJECT_SOURCE_DIR}/cmake/debian/postrm ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
set(CPACK_DEBIAN_COMMAND_DESCRIPTION
"one program over one global address space
 Tessera runs one program as threads of one process, as processes of a cluster,
 or on the tiles of a simulated RISC-V manycore. This package has the command,
 the bundled programs, the memory server and the simulator with its machines.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtessera-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "tessera (= ${PROJECT_VERSION}), clang-19, lld-19, libstdc++-12-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "cmake, pkg-config, g++-riscv64-linux-gnu")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
"one program over one global address space - headers and library
 Headers, static library, CMake package and pkg-config file, to compile programs
 for Tessera by `tess c++`, find_package(tessera) or pkg-config.")

set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_NAME tessera-doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOCUMENTATION_DESCRIPTION
"one program over one global address space - documentation
 The pages of Tessera and the reference of its headers, as one static site:
 /usr/share/doc/tessera-doc/html/index.html.")
include(CPack)

# Everything that a package holds; the site of tessera-doc is made by tools/docs.py.
if(TARGET tess_cli AND TARGET tessera)
  add_custom_target(tess_man_pages
    COMMAND ${TESS_PYTHON3} ${PROJECT_SOURCE_DIR}/tools/man_pages.py $<TARGET_FILE:tess_cli>
            ${PROJECT_BINARY_DIR}/share/man
    DEPENDS tess_cli tess_programs)
  add_custom_target(tess_package_contents
    DEPENDS tess_cli tess_programs tessera tess_races tess_rmem_c tess_man_pages)
endif()
