// SPDX-License-Identifier: Apache-2.0
#include "sim/report/output_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>

namespace trainyard {
namespace {

[[noreturn]] void fail(const char* what, const std::filesystem::path& path)
{
  const int reason = errno;
  throw std::runtime_error{fmt::format("cannot {} '{}': {}", what, path.string(), std::strerror(reason))};
}

} // namespace

OutputFile::OutputFile(std::filesystem::path path) : path_{std::move(path)}, file_{std::fopen(path_.c_str(), "wb")}
{
  if (!file_)
    fail("create", path_);
}

void OutputFile::write(std::string_view text)
{
  if (!text.empty() && std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size())
    fail("write", path_);
}

void OutputFile::close()
{
  std::FILE* file = file_.release();
  const bool flushed = std::fflush(file) == 0;
  const int reason = errno;
  if (std::fclose(file) != 0 || !flushed) {
    if (!flushed)
      errno = reason;
    fail("write", path_);
  }
}

void write_file(const std::filesystem::path& path, std::string_view text)
{
  OutputFile file{path};
  file.write(text);
  file.close();
}

void write_gzip_file(const std::filesystem::path& path, std::string_view text)
{
  z_stream stream{};
  constexpr int gzip_window = 15 + 16; // largest window; +16: gzip header, whose time stamp zlib leaves 0
  if (deflateInit2(&stream, 1, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error{"cannot start zlib: out of memory"};
  const std::unique_ptr<z_stream, decltype(&deflateEnd)> owner{&stream, deflateEnd};
  OutputFile file{path};
  std::string out(1U << 16U, '\0');
  do {
    const std::size_t piece = std::min<std::size_t>(text.size(), 1U << 30U);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data())); // zlib does not write there
    stream.avail_in = static_cast<uInt>(piece);
    text.remove_prefix(piece);
    do {
      stream.next_out = reinterpret_cast<Bytef*>(out.data());
      stream.avail_out = static_cast<uInt>(out.size());
      deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
      file.write(std::string_view{out}.substr(0, out.size() - stream.avail_out));
    } while (stream.avail_out == 0);
  } while (!text.empty());
  file.close();
}

} // namespace trainyard
