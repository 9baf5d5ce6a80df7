// SPDX-License-Identifier: Apache-2.0
// Storage below a folder: sequential write and read of a file (write ends with fsync; read begins after the system was
// told to drop the pages) and small files of 4 KiB (create, write, close, open, read, remove).
//
// Size: bytes of the file; of "disk.small_files": number of files. The read may still come from a cache below the
// system; the note says so.
#include "calibrate/measurement.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <stdexcept>
#include <unistd.h>

namespace trainyard::calibrate {
namespace {

constexpr std::size_t block = 1U << 20U;

[[noreturn]] void fail(const std::string& call, const std::filesystem::path& file)
{
  throw std::runtime_error{call + " '" + file.string() + "': " + std::strerror(errno)};
}

/// A file that is closed and removed with this object.
class ScratchFile
{
public:
  explicit ScratchFile(std::filesystem::path path)
      : path_{std::move(path)}, handle_{::open(path_.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600)}
  {
    if (handle_ < 0)
      fail("cannot create", path_);
  }
  ~ScratchFile()
  {
    ::close(handle_);
    ::unlink(path_.c_str());
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  void write(const std::vector<char>& data, std::size_t bytes)
  {
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t written = ::write(handle_, data.data(), std::min(data.size(), bytes - done));
      if (written <= 0)
        fail("cannot write", path_);
      done += static_cast<std::size_t>(written);
    }
  }
  void flush()
  {
    if (::fsync(handle_) != 0)
      fail("cannot flush", path_);
  }
  void rewind_uncached()
  {
    ::posix_fadvise(handle_, 0, 0, POSIX_FADV_DONTNEED);
    ::lseek(handle_, 0, SEEK_SET);
  }
  std::size_t read(std::vector<char>& data)
  {
    const ssize_t got = ::read(handle_, data.data(), data.size());
    if (got < 0)
      fail("cannot read", path_);
    return static_cast<std::size_t>(got);
  }

private:
  std::filesystem::path path_;
  int handle_;
};

class Disk final : public Measurement
{
public:
  std::string missing(const Options& options) const override
  {
    if (::access(options.folder.c_str(), W_OK) != 0)
      return "folder '" + options.folder.string() + "' is not writable: " + std::strerror(errno) +
             "; choose one with --folder";
    return {};
  }

  std::vector<Case> cases(const Options& options) const override
  {
    const double bytes = options.quick ? 16777216 : 134217728;
    return {{"disk.write", bytes, "B"},
            {"disk.read", bytes, "B"},
            {"disk.small_files", options.quick ? 50.0 : 200.0, "files"}};
  }

  Samples measure(const Case& which, const Options& options) override
  {
    SamplingRule rule = sampling_rule(options.quick);
    rule.least = 3;
    rule.noise = 0.05;
    rule.most_seconds *= 3;
    const std::filesystem::path file = options.folder / (".simcal-" + std::to_string(::getpid()));
    if (which.curve == "disk.small_files")
      return sample(rule, [&] { return small_files(file, static_cast<int>(which.size)); });
    const auto bytes = static_cast<std::size_t>(which.size);
    std::vector<char> data(block);
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<char>(i * 2654435761U >> 7U); // nothing that a file system can compress
    if (which.curve == "disk.write")
      return sample(rule, [&] {
        const double begin = wall_seconds();
        ScratchFile scratch{file};
        scratch.write(data, bytes);
        scratch.flush();
        return wall_seconds() - begin;
      });
    ScratchFile scratch{file};
    scratch.write(data, bytes);
    scratch.flush();
    return sample(rule, [&] {
      scratch.rewind_uncached();
      const double begin = wall_seconds();
      std::size_t total = 0;
      while (const std::size_t got = scratch.read(data))
        total += got;
      if (total != bytes)
        throw std::runtime_error{"read " + std::to_string(total) + " of " + std::to_string(bytes) + " bytes of '" +
                                 file.string() + "'"};
      return wall_seconds() - begin;
    });
  }

  void conclude(const MeasuredCurves& curves, const Options&, Profile& profile) const override
  {
    for (const auto& [curve, name] :
         {std::pair{"disk.write", "disk.write_bandwidth"}, {"disk.read", "disk.read_bandwidth"}})
      if (const auto found = curves.find(curve); found != curves.end())
        add_constant(profile, name, "B/s", rate_at_largest(found->second), found->second,
                     "one sequential file; caches of the system may be included");
    if (const auto found = curves.find("disk.small_files"); found != curves.end())
      add_constant(profile, "disk.small_file_time", "s", inverse(rate_at_largest(found->second)), found->second,
                   "create, write 4 KiB, close, open, read, remove one file");
  }

private:
  static double small_files(const std::filesystem::path& base, int count)
  {
    std::vector<char> data(4096, 'x');
    const double begin = wall_seconds();
    for (int i = 0; i < count; ++i) {
      ScratchFile scratch{base.string() + "-" + std::to_string(i)};
      scratch.write(data, data.size());
      scratch.rewind_uncached();
      scratch.read(data);
    }
    return wall_seconds() - begin;
  }
};

TY_REGISTER(Measurement, Disk, "disk", "sequential write and read, small files below --folder");

} // namespace
} // namespace trainyard::calibrate
