# isal: the target ISAL::isal, Intel's library that decompresses (libisal-dev); it has no description of its own for CMake.
find_path(ISAL_INCLUDE isa-l/igzip_lib.h REQUIRED)
find_library(ISAL_LIBRARY isal REQUIRED)
add_library(ISAL::isal UNKNOWN IMPORTED GLOBAL)
set_target_properties(ISAL::isal PROPERTIES IMPORTED_LOCATION ${ISAL_LIBRARY}
  INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${ISAL_INCLUDE})
