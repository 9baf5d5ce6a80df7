# SPDX-License-Identifier: Apache-2.0
# Libraries that simrun needs; Debian 12 package names are in packages.txt.
find_package(PkgConfig REQUIRED)
pkg_check_modules(SIMGRID REQUIRED IMPORTED_TARGET simgrid) # Debian ships no SimGrid CMake package
pkg_check_modules(LIBMD REQUIRED IMPORTED_TARGET libmd) # SHA-256; libcrypto takes 4 ms longer to load
pkg_check_modules(CLP REQUIRED IMPORTED_TARGET clp)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo)
pkg_check_modules(FREETYPE REQUIRED IMPORTED_TARGET freetype2)
find_package(Boost 1.74 REQUIRED COMPONENTS graph)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
foreach(package yaml-cpp valijson nlohmann_json fmt CLI11 tinyxml2)
  find_package(${package} CONFIG REQUIRED) # targets yaml-cpp and valijson have no namespace
endforeach()

# An allocator that gives back blocks of one size from one place: SimGrid's lists and our own small objects are then quicker to walk
# (results/bench). The sanitizers bring their own.
add_library(allocator INTERFACE)
pkg_check_modules(JEMALLOC QUIET IMPORTED_TARGET jemalloc)
if(NOT JEMALLOC_FOUND)
  message(STATUS "libjemalloc-dev was not found: simrun is built without it and is slower")
elseif(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT TRAINYARD_SANITIZE)
  target_link_libraries(allocator INTERFACE PkgConfig::JEMALLOC)
endif()

# simrun sweep --mpi; without it everything else works.
find_package(MPI COMPONENTS CXX)
if(NOT MPI_CXX_FOUND)
  message(STATUS "MPI (libopenmpi-dev) was not found: simrun is built without sweep --mpi")
endif()

# Importers of single formats; without the library the format says so when it is asked for.
find_package(Protobuf QUIET)
find_package(ONNX CONFIG QUIET)
pkg_check_modules(TOMLPLUSPLUS QUIET tomlplusplus) # only its headers are used
if(NOT TOMLPLUSPLUS_FOUND)
  message(STATUS "libtomlplusplus-dev was not found: simrun import cannot read torchtitan configurations")
endif()
if(NOT Protobuf_FOUND)
  message(STATUS "libprotobuf-dev was not found: simrun import cannot read Chakra traces")
endif()
if(NOT ONNX_FOUND OR NOT Protobuf_FOUND)
  message(STATUS "libonnx-dev was not found: simrun import cannot read ONNX models")
endif()

# Schedulers of Batsim's protocol; without it the policy `batsim` says what is missing.
pkg_check_modules(ZMQ QUIET IMPORTED_TARGET libzmq)
find_path(CPPZMQ_HEADER zmq.hpp HINTS ${ZMQ_INCLUDE_DIRS})
if(NOT ZMQ_FOUND OR NOT CPPZMQ_HEADER)
  message(STATUS "libzmq3-dev or cppzmq-dev was not found: simrun cannot ask schedulers of Batsim's protocol")
endif()

# The Python package; for the system's Python, which has the packages of packages.txt, unless pip says for which.
if(TRAINYARD_PYTHON)
  if(NOT DEFINED Python3_EXECUTABLE AND NOT DEFINED SKBUILD AND EXISTS /usr/bin/python3)
    set(Python3_EXECUTABLE /usr/bin/python3)
  endif()
  find_package(Python3 COMPONENTS Interpreter Development.Module)
  find_package(pybind11 2.10 CONFIG QUIET)
  if(NOT pybind11_FOUND OR NOT Python3_Development.Module_FOUND)
    message(STATUS "pybind11-dev or python3-dev was not found: the Python package is not built")
  endif()
endif()
