// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace trainyard {

/// A file being written; every failure (no right, full disk) is an exception, also one that only shows when the file is
/// closed.
class OutputFile
{
public:
  /// Throws std::runtime_error naming the call, the file and the system's reason.
  explicit OutputFile(std::filesystem::path path);

  void write(std::string_view text);
  /// Writes everything to the disk; without this call the file is not complete.
  void close();

private:
  struct Closer {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Closer> file_;
};

/// The whole of a small file at once.
void write_file(const std::filesystem::path& path, std::string_view text);

/// A long text, compressed with gzip as it is made; no time stamp inside, so that equal text gives equal bytes.
class GzipFile
{
public:
  /// Throws as OutputFile.
  explicit GzipFile(std::filesystem::path path);
  ~GzipFile();
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  void write(std::string_view text);
  /// As OutputFile.
  void close();

private:
  struct Stream;
  void compress(std::string_view text, int flush);

  OutputFile file_;
  std::unique_ptr<Stream> stream_;
  std::string out_;
};

/// The whole of a text at once.
void write_gzip_file(const std::filesystem::path& path, std::string_view text);

/// SHA-256 of a text as 64 hexadecimal digits (FIPS 180-4).
std::string sha256(std::string_view text);

} // namespace trainyard
