// SPDX-License-Identifier: Apache-2.0
// Changes of what is wanted. Private to this folder.
#pragma once
#include "sim/sources/services/surges.hpp"

namespace trainyard::orchestration {

/// What the owners of services change: services arrive, get more or fewer replicas, and are updated.
class Changes
{
public:
  /// All live as long as this.
  Changes(TaskBook& book, const WaitingTasks& waiting, Progress& progress, TaskLife& life, Surges& surges,
          RollingUpdates& updates, Accounts& accounts, Agenda& agenda, Records& records)
      : book_{book}, waiting_{waiting}, progress_{progress}, life_{life}, surges_{surges}, updates_{updates},
        accounts_{accounts}, agenda_{agenda}, records_{records}
  {
  }

  void arrive(int service);
  /// @p number: of ServiceSpec::scaling.
  void scale(int service, int number);
  /// Replicas follow the rate of requests.
  void follow_rate(int service);
  /// @p number: of ServiceSpec::updates.
  void begin_update(int service, int number);
  void update_batch(int update);

private:
  void scale_to(int service, int group, int replicas);
  void restart_all(int service);

  TaskBook& book_;
  const WaitingTasks& waiting_;
  Progress& progress_;
  TaskLife& life_;
  Surges& surges_;
  RollingUpdates& updates_;
  Accounts& accounts_;
  Agenda& agenda_;
  Records& records_;
};

} // namespace trainyard::orchestration
