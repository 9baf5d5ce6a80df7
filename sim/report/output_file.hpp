// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <filesystem>
#include <memory>
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

/// The same, compressed with gzip; no time stamp inside, so that equal text gives equal bytes.
void write_gzip_file(const std::filesystem::path& path, std::string_view text);

} // namespace trainyard
