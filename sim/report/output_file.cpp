// SPDX-License-Identifier: Apache-2.0
#include "sim/report/output_file.hpp"

#include "models/core/interrupt.hpp"

#include <fmt/format.h>
#include <sha2.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
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

OutputFile::OutputFile(std::filesystem::path path) : path_{std::move(path)}
{
  check_interrupt(); // whoever is asked to stop begins no file any more
  file_.reset(std::fopen(path_.c_str(), "wb"));
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

struct GzipFile::Stream : z_stream {
  Stream() : z_stream{} {}
  ~Stream() { deflateEnd(this); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

GzipFile::GzipFile(std::filesystem::path path)
    : file_{std::move(path)}, stream_{std::make_unique<Stream>()}, out_(1U << 16U, '\0')
{
  constexpr int gzip_window = 15 + 16; // largest window; +16: gzip header, whose time stamp zlib leaves 0
  if (deflateInit2(stream_.get(), 1, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error{"cannot start zlib: out of memory"};
}

GzipFile::~GzipFile() = default;

void GzipFile::write(std::string_view text)
{
  constexpr std::size_t most = 1U << 30U; // zlib counts in 32 bits
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), most)))
    compress(text.substr(0, most), Z_NO_FLUSH);
}

void GzipFile::compress(std::string_view text, int flush)
{
  stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data())); // zlib does not write there
  stream_->avail_in = static_cast<uInt>(text.size());
  do {
    stream_->next_out = reinterpret_cast<Bytef*>(out_.data());
    stream_->avail_out = static_cast<uInt>(out_.size());
    deflate(stream_.get(), flush);
    file_.write(std::string_view{out_}.substr(0, out_.size() - stream_->avail_out));
  } while (stream_->avail_out == 0);
}

void GzipFile::close()
{
  compress({}, Z_FINISH);
  file_.close();
}

void write_gzip_file(const std::filesystem::path& path, std::string_view text)
{
  GzipFile file{path};
  file.write(text);
  file.close();
}

std::string sha256(std::string_view text)
{
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digits{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), digits.data());
  return digits.data();
}

} // namespace trainyard
