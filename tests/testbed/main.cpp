// SPDX-License-Identifier: Apache-2.0
// testbed_trainer ROLE key=value…: one process of a training job whose computing is a sleep and whose bytes are real.
// Roles: tcp-server, tcp-worker, grpc-server, grpc-worker, ring. Keys: plan, index, workers, staleness (-1 = async),
// steps, slow, delay, bucket, port, addresses (of the servers, or of all ranks; separated by commas).
#include "tests/testbed/trainer.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>

int main(int count, char** words)
{
  using namespace trainyard::testbed;
  try {
    if (count < 2)
      throw std::runtime_error{"testbed_trainer ROLE key=value..."};
    Task task;
    for (int i = 2; i < count; ++i) {
      const std::string word = words[i];
      const std::string key = word.substr(0, word.find('=')), value = word.substr(word.find('=') + 1);
      if (key == "plan")
        task.plan = read_plan(value);
      else if (key == "index")
        task.index = std::atoi(value.c_str());
      else if (key == "workers")
        task.workers = std::atoi(value.c_str());
      else if (key == "staleness")
        task.staleness = std::atoi(value.c_str());
      else if (key == "steps")
        task.steps = std::atoi(value.c_str());
      else if (key == "slow")
        task.slow_down = std::atof(value.c_str());
      else if (key == "delay")
        task.delay = std::atof(value.c_str());
      else if (key == "bucket")
        task.bucket_bytes = std::atof(value.c_str());
      else if (key == "port")
        task.port = std::atoi(value.c_str());
      else if (key == "addresses")
        for (std::size_t begin = 0; begin <= value.size();) {
          const std::size_t end = std::min(value.find(',', begin), value.size());
          task.addresses.push_back(value.substr(begin, end - begin));
          begin = end + 1;
        }
      else
        throw std::runtime_error{"unknown key '" + key + "'"};
    }
    const std::map<std::string, void (*)(const Task&)> roles{{"tcp-server", serve_tcp},
                                                             {"tcp-worker", work_tcp},
                                                             {"grpc-server", serve_grpc},
                                                             {"grpc-worker", work_grpc},
                                                             {"ring", ring_tcp}};
    const auto role = roles.find(words[1]);
    if (role == roles.end())
      throw std::runtime_error{std::string{"unknown role '"} + words[1] + "'"};
    role->second(task);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
