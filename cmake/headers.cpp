// headers: nothing of its own; precompiled headers need a source file to belong to (cmake/targets.cmake).
