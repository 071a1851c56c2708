#!/bin/sh
# Replaces the replicas of compose.yaml by what is in the image now, one after the other, with no call lost: deploy/roll.sh
# The balancer gives a replica nothing new before it ends; what it has goes on to its end.
set -eu
cd "$(dirname "$0")"

# Until calls that were on their way to it have begun, in seconds.
DRAIN_S=2
# Longer than the balancer's second between two looks.
SEEN_S=3

balancer() {
  docker compose exec -T balancer sh -c "echo '$1' | nc 127.0.0.1 9999"
}

for replica in replica-1 replica-2 replica-3; do
  echo "$replica"
  balancer "set server replicas/$replica state drain"
  sleep "$DRAIN_S"
  docker compose up --detach --no-deps --force-recreate --wait "$replica"
  balancer "set server replicas/$replica state ready"
  sleep "$SEEN_S"
done
