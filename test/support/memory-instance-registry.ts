import { systemClock } from '../../src/clock.js';
import { InstanceRegistry } from '../../src/registry/instance-registry.js';
import { MemoryInstanceStore } from '../../src/storage/memory/instance-store.js';
import { TeamVersions } from '../../src/storage/memory/team-versions.js';

/** Who exists, kept in memory. A test that lets instances register loads it first. */
export function memoryInstanceRegistry(): InstanceRegistry {
  return new InstanceRegistry({
    store: new MemoryInstanceStore(new TeamVersions()),
    team: 'default',
    clock: systemClock,
    report: (message) => {
      throw new Error(message);
    },
  });
}
