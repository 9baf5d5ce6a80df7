// SPDX-License-Identifier: Apache-2.0
#include "models/core/output.hpp"

#include "models/core/diagnostics.hpp"
#include "models/core/json.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

constexpr const char* ending = ".unfinished";
constexpr const char* manifest = "manifest.json";
/// Names the files that we wrote into a folder, one a line. What else is there belongs to the user.
constexpr const char* own_files = ".files";
constexpr const char* list_head = "# files of Trainyard: all others belong to somebody else";

[[noreturn]] void fail(const std::string& what, const fs::path& path, const std::error_code& error)
{
  throw std::runtime_error{"cannot " + what + " '" + path.string() + "': " + error.message()};
}

std::error_code system_error()
{
  return {errno, std::system_category()};
}

class Descriptor
{
public:
  Descriptor(const fs::path& path, int flags, unsigned mode = 0) : number_{::open(path.c_str(), flags, mode)} {}
  ~Descriptor()
  {
    if (number_ >= 0)
      ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int operator*() const { return number_; }
  bool lock() const { return number_ >= 0 && ::flock(number_, LOCK_EX | LOCK_NB) == 0; }

private:
  int number_;
};

/// The hidden names of @p name: ".NAME." (no longer than a file system allows), then a number and the ending.
std::string hidden(const fs::path& name)
{
  return "." + name.string().substr(0, 200) + ".";
}

bool is_unfinished(const fs::path& path, const std::string& start)
{
  const std::string name = path.filename().string();
  return name.starts_with(start) && name.ends_with(ending) &&
         name.size() > start.size() + std::char_traits<char>::length(ending) &&
         name.find_first_not_of("0123456789", start.size()) == name.size() - std::char_traits<char>::length(ending);
}

/// A hidden file or folder that disappears unless it takes its place.
class Unfinished
{
public:
  Unfinished(const fs::path& place, const fs::path& in, bool folder)
  {
    std::error_code error;
    if (folder && in != place)
      fs::create_directories(in, error);
    if (error)
      fail("create the folder", in, error);
    const std::string start = hidden(place.filename());
    std::vector<fs::path> left;
    for (fs::directory_iterator entry{in, error}, end; !error && entry != end; entry.increment(error))
      if (is_unfinished(entry->path(), start))
        left.push_back(entry->path());
    for (const fs::path& one : left)
      if (const Descriptor killed{one, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC}; killed.lock())
        fs::remove_all(one, error);
    for (long number = ::getpid(); number < ::getpid() + 1000L; ++number) {
      path_ = in / (start + std::to_string(number) + ending);
      const int made =
          folder ? ::mkdir(path_.c_str(), 0777) : ::open(path_.c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      const std::error_code why = system_error();
      if (!folder && made >= 0)
        ::close(made);
      if (made < 0 && fs::exists(fs::symlink_status(path_, error)))
        continue;
      if (made < 0)
        fail(folder ? "create the folder" : "write", folder ? path_ : place, why);
      lock_ = std::make_unique<Descriptor>(path_, O_RDONLY | O_CLOEXEC);
      if (lock_->lock() && fs::exists(path_, error)) // else another one took it for that of a killed program
        return;
    }
    throw std::runtime_error{"cannot create '" + path_.string() + "': too many programs write there"};
  }
  ~Unfinished()
  {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  const fs::path& path() const { return path_; }

private:
  fs::path path_;
  std::unique_ptr<Descriptor> lock_;
};

bool is_mount_point(const fs::path& place)
{
  struct statx status {
  };
  return ::statx(AT_FDCWD, place.c_str(), 0, STATX_TYPE, &status) == 0 &&
         (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

/// A name beside the place can take it. The folder in which somebody stands stays that folder.
bool can_be_exchanged(const fs::path& place)
{
  std::error_code error;
  const fs::path here = fs::current_path(error).lexically_relative(place);
  return ::access(place.parent_path().c_str(), W_OK | X_OK) == 0 && !is_mount_point(place) &&
         (here.empty() || *here.begin() == "..");
}

std::string piece_of(std::ifstream& file, std::streamoff at, std::size_t size)
{
  std::string text(size, '\0');
  file.clear();
  file.seekg(at);
  file.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::string whole(const fs::path& file)
{
  std::ifstream stream{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

enum class Owner { nobody, us, somebody };

/// Whose manifest it is: ours says which kind of results the folder has. An empty object is nobody's.
Owner owner_of_manifest(const fs::path& file)
{
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    return Owner::somebody;
  try {
    const Json json = parse_json(whole(file), file.string());
    if (json.kind == Json::Kind::object && json.members.empty())
      return Owner::nobody;
    const Json *kind = json.find("kind"), *version = json.find("schema_version");
    return kind != nullptr && kind->string.starts_with("trainyard ") && version != nullptr &&
                   version->kind == Json::Kind::number
               ? Owner::us
               : Owner::somebody;
  } catch (const InputError&) {
    return Owner::somebody;
  }
}

/// The names in the list of a folder; nothing where there is no list, or not one of ours.
std::optional<std::set<fs::path>> listed(const fs::path& folder, bool with_head)
{
  std::error_code error;
  if (!fs::is_regular_file(folder / own_files, error))
    return std::nullopt;
  std::ifstream list{folder / own_files};
  std::set<fs::path> own{own_files};
  bool headed = false;
  for (std::string line; std::getline(list, line);)
    if (line == list_head)
      headed = true;
    else
      own.insert(line);
  return headed || !with_head ? std::optional{own} : std::nullopt;
}

/// Whose a folder is.
Owner owner_of(const fs::path& folder)
{
  std::error_code error;
  if (fs::exists(fs::symlink_status(folder / manifest, error)))
    if (const Owner owner = owner_of_manifest(folder / manifest); owner != Owner::nobody || !listed(folder, true))
      return owner;
  if (listed(folder, true))
    return Owner::us; // of a kind without manifest, or one that was killed in the middle
  const std::string start = hidden(folder.filename());
  for (fs::directory_iterator entry{folder, error}, end; !error && entry != end; entry.increment(error))
    if (!is_unfinished(entry->path(), start) && entry->path().filename() != "lost+found")
      return Owner::somebody;
  return error ? Owner::somebody : Owner::nobody;
}

/// All files and empty folders.
std::set<fs::path> contents(const fs::path& folder, const fs::path& without = {})
{
  std::set<fs::path> files;
  std::error_code ignored;
  for (fs::recursive_directory_iterator entry{folder}, end; entry != end; ++entry)
    if (entry->path() == without)
      entry.disable_recursion_pending();
    else if (!entry->is_directory(ignored) || entry->is_symlink(ignored) || fs::is_empty(entry->path(), ignored))
      files.insert(entry->path().lexically_relative(folder));
  return files;
}

/// A file of @p folder, or a folder of it as a file, has this name.
bool has(const fs::path& folder, const fs::path& name)
{
  fs::path part;
  std::error_code ignored;
  for (const fs::path& one : name) {
    part /= one;
    const fs::file_status status = fs::symlink_status(folder / part, ignored);
    if (fs::exists(status) && (part == name || !fs::is_directory(status)))
      return true;
  }
  return false;
}

std::string joined(const std::vector<fs::path>& names)
{
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 5); ++i)
    text += (i > 0 ? ", " : "") + names[i].string();
  return text + (names.size() > 5 ? " and " + std::to_string(names.size() - 5) + " more" : "");
}

/// Gives the user's files a second name below @p to; false: the file system cannot.
bool link_all(const std::vector<fs::path>& names, const fs::path& from, const fs::path& to)
{
  std::error_code error;
  for (const fs::path& name : names) {
    const bool folder = fs::is_directory(fs::symlink_status(from / name, error));
    fs::create_directories(folder ? to / name : (to / name).parent_path(), error);
    if (error || (!folder && ::linkat(AT_FDCWD, (from / name).c_str(), AT_FDCWD, (to / name).c_str(), 0) != 0))
      return false;
  }
  return true;
}

/// Moves the files of @p from into @p folder, in the place of @p gone.
void move_all(const fs::path& from, const fs::path& folder, const std::set<fs::path>& gone)
{
  std::error_code error;
  const std::set<fs::path> names = contents(from);
  if (gone.contains(manifest))
    fs::remove(folder / manifest, error); // until the end the folder is not whole
  for (const fs::path& name : gone)
    if (name != own_files)
      fs::remove(folder / name, error);
  const auto move = [&](const fs::path& name) {
    fs::create_directories((folder / name).parent_path(), error);
    if (::rename((from / name).c_str(), (folder / name).c_str()) != 0)
      fail("write", folder / name, system_error());
  };
  move(own_files);
  for (const fs::path& name : names)
    if (name != own_files && name != manifest)
      move(name);
  if (names.contains(manifest))
    move(manifest);
}

/// @p name: for messages.
void write_whole(const fs::path& path, std::string_view text, const fs::path& name)
{
  errno = 0;
  std::ofstream out{path, std::ios::binary | std::ios::trunc};
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out)
    fail("write", name, system_error());
}

bool is_ours(const fs::path& file, const std::string& mark)
{
  constexpr std::size_t looked_at = 4096;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (!error && size == 0)
    return true;
  std::ifstream stream{file, std::ios::binary};
  const auto last = static_cast<std::streamoff>(size > looked_at ? size - looked_at : 0);
  return !mark.empty() && (piece_of(stream, 0, looked_at).find(mark) != std::string::npos ||
                           piece_of(stream, last, looked_at).find(mark) != std::string::npos);
}

/// Devices and pipes hold nothing that could be replaced.
bool is_written_directly(const fs::path& file)
{
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  const std::string name = file.string();
  return name.starts_with("/dev/") || name.starts_with("/proc/") ||
         (fs::exists(status) && !fs::is_regular_file(status));
}

} // namespace

std::optional<std::set<fs::path>> files_of_ours(const fs::path& folder)
{
  return listed(folder, false);
}

fs::path behind_links(const fs::path& place)
{
  std::error_code error;
  fs::path there = place;
  for (int i = 0; i < 40 && fs::is_symlink(there, error) && !fs::exists(there, error); ++i)
    there = there.parent_path() / fs::read_symlink(there, error); // leads to what is not there yet
  there = fs::weakly_canonical(fs::absolute(there, error), error);
  return there.filename().empty() ? there.parent_path() : there;
}

void check_folder(const fs::path& chosen, const Replace& replace)
{
  std::error_code error;
  const fs::path folder = behind_links(chosen);
  const fs::file_status status = fs::status(folder, error);
  if (fs::exists(status) && (!fs::is_directory(status) || (!replace.force && owner_of(folder) == Owner::somebody)))
    throw InputError{"'" + chosen.string() + "' exists and is not a results folder; choose another folder with -o" +
                     (fs::is_directory(status) ? ", or write into it with --force" : "")};
}

std::string write_folder(const fs::path& chosen, const std::function<void(const fs::path&)>& fill,
                         const Replace& replace)
{
  check_folder(chosen, replace);
  std::error_code error;
  const fs::path folder = behind_links(chosen);
  const bool inside = fs::exists(folder, error) && !can_be_exchanged(folder);
  const Unfinished unfinished{folder, inside ? folder : folder.parent_path(), true};
  const fs::path& to = unfinished.path();
  fill(to);
  std::string list = std::string{list_head} + "\n";
  for (const fs::path& file : contents(to))
    list += file.generic_string() + "\n";
  write_whole(to / own_files, list, to / own_files);

  const auto refused = [&](const std::string& why) {
    fs::path other;
    for (int number = 1; other.empty() || fs::exists(fs::symlink_status(other, error)); ++number)
      other = folder.string() + "." + std::to_string(number);
    fs::rename(to, other, error);
    if (error)
      fail("create the folder", other, error);
    throw std::runtime_error{why + "; the results are in '" + other.string() + "', and '" + chosen.string() +
                             "' is as it was. Move what is yours, or give --force"};
  };
  if (!fs::exists(folder, error)) {
    fs::rename(to, folder, error);
    if (error)
      refused("'" + chosen.string() + "': " + error.message());
    return {};
  }
  const Owner owner = fs::is_directory(folder, error) ? owner_of(folder) : Owner::somebody;
  if (!fs::is_directory(folder, error) || (owner == Owner::somebody && !replace.force))
    refused("'" + chosen.string() + "' was taken meanwhile");
  const std::optional<std::set<fs::path>> own = listed(folder, false);
  std::vector<fs::path> kept, taken;
  std::set<fs::path> gone;
  for (const fs::path& file : contents(folder, to)) {
    // without the list, what our own folder has under a name of ours is ours
    const bool ours =
        owner == Owner::us ? own ? own->contains(file) : has(to, file) : owner == Owner::nobody && file == manifest;
    if (!ours)
      (has(to, file) ? taken : kept).push_back(file);
    if (ours || has(to, file))
      gone.insert(file);
  }
  if (!taken.empty() && !replace.force)
    refused("'" + (chosen / taken.front()).string() + "' was not written by simrun and would be replaced");

  struct stat status {
  };
  const bool known = ::stat(folder.c_str(), &status) == 0;
  if (known && !inside) {
    ::chmod(to.c_str(), status.st_mode & 07777U);
    static_cast<void>(::chown(to.c_str(), static_cast<uid_t>(-1), status.st_gid) == 0); // not everybody may
  }
  if (inside || !link_all(kept, folder, to) ||
      ::renameat2(AT_FDCWD, to.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) != 0) {
    for (const fs::path& name : kept)
      if (!inside)
        fs::remove(to / name, error);
    move_all(to, folder, gone);
  }
  if (!taken.empty())
    return "--force removed from '" + chosen.string() + "' what simrun had not written: " + joined(taken);
  return owner == Owner::us ? "replaced the earlier results in " + chosen.string() : std::string{};
}

void check_file(const fs::path& file, const Replace& replace)
{
  std::error_code error;
  if (fs::is_directory(file, error))
    throw InputError{"'" + file.string() + "' is a folder; -o names the file to write"};
  if (!replace.force && fs::exists(file, error) && !is_written_directly(file) && !is_ours(file, replace.mark))
    throw InputError{"'" + file.string() + "' exists already and " +
                     (replace.mark.empty() ? "is not what would be written" : "was not written by Trainyard") +
                     "; nothing was written. Choose another name with -o, or replace it with --force"};
}

std::string replace_file(const fs::path& chosen, const std::function<void(const fs::path&)>& write,
                         const Replace& replace)
{
  check_file(chosen, replace);
  if (is_written_directly(chosen)) {
    write(chosen);
    return {};
  }
  std::error_code error;
  const fs::path file = behind_links(chosen);
  struct stat status {
  };
  const bool there = ::stat(file.c_str(), &status) == 0;
  if (there && ::access(file.c_str(), W_OK) != 0)
    fail("write", chosen, system_error());
  const bool foreign = there && !is_ours(file, replace.mark);
  if (there && !can_be_exchanged(file)) {
    write(file);
  } else {
    const Unfinished unfinished{file, file.parent_path(), false};
    write(unfinished.path());
    if (const Descriptor written{unfinished.path(), O_WRONLY | O_CLOEXEC}; *written < 0 || ::fsync(*written) != 0)
      fail("write", chosen, system_error());
    if (there)
      ::chmod(unfinished.path().c_str(), status.st_mode & 07777U);
    fs::rename(unfinished.path(), file, error);
    if (error)
      fail("write", chosen, error);
  }
  if (!there || status.st_size == 0)
    return {};
  return foreign ? "--force replaced '" + chosen.string() + "', which was not as Trainyard writes it"
                 : "replaced the earlier " + chosen.string();
}

std::string replace_file(const fs::path& file, std::string_view text, const Replace& replace)
{
  std::error_code error;
  if (!is_written_directly(file) && fs::is_regular_file(file, error) && fs::file_size(file, error) == text.size() &&
      whole(file) == text)
    return {}; // the same again
  return replace_file(
      file, [&](const fs::path& path) { write_whole(path, text, file); }, replace);
}

} // namespace trainyard
