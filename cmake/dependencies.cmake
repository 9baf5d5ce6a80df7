# Libraries that simrun needs; Debian 12 package names are in packages.txt.
find_package(PkgConfig REQUIRED)
pkg_check_modules(SIMGRID REQUIRED IMPORTED_TARGET simgrid) # Debian ships no SimGrid CMake package
pkg_check_modules(CLP REQUIRED IMPORTED_TARGET clp)
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo)
find_package(Boost 1.74 REQUIRED COMPONENTS graph)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
foreach(package yaml-cpp valijson nlohmann_json fmt CLI11 tinyxml2)
  find_package(${package} CONFIG REQUIRED) # targets yaml-cpp and valijson have no namespace
endforeach()

# simrun sweep --mpi; without it everything else works.
find_package(MPI COMPONENTS CXX)
if(NOT MPI_CXX_FOUND)
  message(STATUS "no MPI (libopenmpi-dev): simrun sweep --mpi is left out")
endif()
