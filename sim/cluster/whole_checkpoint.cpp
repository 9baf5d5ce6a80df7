// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/whole_checkpoint.hpp"

#include "models/cost/memory.hpp"
#include "models/cost/roofline.hpp"

#include <algorithm>

namespace trainyard {

CheckpointTimes whole_checkpoint(const PreparedJob& job, const Cluster& cluster, NodeId writer,
                                 const StorageRates& storage)
{
  const double element = job.spec.precision == "amp" ? 4 : value_bytes(job.spec.precision);
  CheckpointTimes times;
  times.size = times.written = times.read =
      kept_parameters(job.dnn.parameter_elements(), element, job.spec.optimizer).total();
  BytesPerSecond card;
  for (const VertexId nic : cluster.node(writer).nics)
    for (const LinkId id : cluster.outgoing(nic))
      if (const Link& link = cluster.link(id); joins_machines(link.kind))
        card = std::max(card, link.data_rate());
  for (const BytesPerSecond rate : {card, storage.shared, storage.machine, storage.process})
    if (rate > BytesPerSecond{})
      times.save = std::max(times.save, times.size / rate);
  times.load = times.save;
  return times;
}

} // namespace trainyard
