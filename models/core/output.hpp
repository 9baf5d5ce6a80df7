// SPDX-License-Identifier: Apache-2.0
// The one place where results reach the disk. What others put there stays, what a name holds is always whole, and a
// program that is killed leaves nothing that the next one does not clear away:
//
// - All is written under a hidden name beside the place, `.NAME.PID.unfinished`, locked as long as its process lives,
//   and takes the place in one step of the file system. Such names without a lock are removed.
// - A symbolic link stays, and the results go where it leads.
// - A mount point cannot be exchanged, nor can a folder whose surroundings are read-only: there the files are moved one
//   by one, manifest.json last. Devices and pipes are written directly.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace trainyard {

/// What may be replaced where the place is taken.
struct Replace {
  bool force = false; // also what others wrote
  /// A file is ours if its first or last 4 KiB hold this text. Empty: never, only the same bytes are written again.
  std::string mark = {};
};

/// Where a place really is: behind symbolic links, which stay.
std::filesystem::path behind_links(const std::filesystem::path& place);

/// Throws InputError where @p folder is neither empty nor written by write_folder() (its manifest.json, or else the
/// list `.files`, says so): before a long run, so that its results have a place.
void check_folder(const std::filesystem::path& folder, const Replace& replace = {});
/// The same of a file that is neither empty nor ours.
void check_file(const std::filesystem::path& file, const Replace& replace);

/// The files of a folder that write_folder() wrote; nothing where it has no list.
std::optional<std::set<std::filesystem::path>> files_of_ours(const std::filesystem::path& folder);

/// Has @p fill write files into a hidden folder, which then gets the name of @p folder. manifest.json comes last: a
/// folder that has it is whole.
///
/// Of an earlier folder of ours the files stay that we did not write. If one of them has the name of a new file, or if
/// the place was taken meanwhile, the results go into a new folder beside it (NAME.1), and std::runtime_error says so.
/// Throws InputError as check_folder(), std::runtime_error (call, file, reason) where the folder cannot be written.
/// Returns what was replaced, for a note; empty where nothing was.
std::string write_folder(const std::filesystem::path& folder,
                         const std::function<void(const std::filesystem::path&)>& fill, const Replace& replace = {});

/// Has @p write write a file beside @p file, which then gets its name: on a full disk the earlier file stays. Throws
/// and returns as write_folder().
std::string replace_file(const std::filesystem::path& file,
                         const std::function<void(const std::filesystem::path&)>& write, const Replace& replace);
std::string replace_file(const std::filesystem::path& file, std::string_view text, const Replace& replace);

} // namespace trainyard
