// SPDX-License-Identifier: Apache-2.0
// Images of containers. Private to this folder.
#pragma once
#include "sim/sources/services/agenda.hpp"
#include "sim/sources/services/task_book.hpp"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainyard::orchestration {

/// Which images are on which machines, and the pulls under way. A machine's pulls share its link, all share the
/// registry (max-min fairness).
class ImagePulls
{
public:
  /// All live as long as this.
  ImagePulls(const OrchestrationInput& input, TaskBook& book, Machines& machines, Agenda& agenda)
      : input_{input}, book_{book}, machines_{machines}, agenda_{agenda}
  {
  }

  /// The image is on the machine from now on.
  void put(int node, const std::string& image) { put(node, number(image)); }
  /// The number of the service's image where the machine does not have it.
  std::optional<int> missing(const ServiceSpec& service, int node);
  /// The task waits for an image on its node; one pull serves all tasks there.
  void pull(int task, int image);
  /// The service's image is pulled outside the shares of the others. Returns when it is there.
  Instant pull_alone(const ServiceSpec& service, int node);
  /// EventKind::pulled: tells @p there of the tasks whose images have come. @p stamp: of the event.
  void pulled(std::uint32_t stamp, const std::function<void(int task)>& there);
  /// A lost node pulls no more.
  void drop(int node);

private:
  struct Pull {
    int node = 0;
    int image = 0;
    double left = 0; // bytes
    double rate = 0;
    std::vector<std::pair<int, std::uint32_t>> tasks; // that wait for it, with their stamps
  };
  int number(const std::string& image);
  void put(int node, int image);
  void carry();
  void plan();

  const OrchestrationInput& input_;
  TaskBook& book_;
  Machines& machines_;
  Agenda& agenda_;
  std::map<std::string, int> numbers_;
  std::deque<Pull> pulls_;
  Instant since_{0};
  std::uint32_t stamp_ = 0;
};

} // namespace trainyard::orchestration
