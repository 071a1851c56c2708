// Publishes manifests of a few agents in a loop until it is killed. Prints what it found at its start and each
// publish that was acknowledged, one JSON array a line.
import { Registry } from '../../dist/registry/registry.js';
import { openStores } from '../../dist/storage/open-stores.js';

const NAMES = ['a', 'b', 'c', 'd'];
const print = (...line) => process.stdout.write(`${JSON.stringify(line)}\n`);

const stores = await openStores({ store: null, data: process.argv[2] });
const registry = new Registry({
  store: stores.catalogue,
  team: 'default',
  rules: { strictCompat: false, folderWatched: false },
  report: (message) => print('report', message),
});
await registry.load();
for (const { manifest, document } of registry.snapshot.agents.values()) {
  print('found', manifest.agentName, manifest.manifestVersion, document.metadata.stamp);
}
print('loaded', registry.snapshot.version);

const manifestOf = (agentName, version) => ({
  agent_name: agentName,
  manifest_version: version,
  capabilities: [{ id: 'do', name: `Version ${version}`, description: '周报 '.repeat(200) }],
  metadata: { stamp: `${agentName} ${version}` },
});

await Promise.all(
  NAMES.map(async (name) => {
    let version = registry.snapshot.agents.get(name)?.manifest.manifestVersion ?? 0;
    for (;;) {
      version += 1;
      const { catalogueVersion } = await registry.publish(manifestOf(name, version), 'api');
      print('acknowledged', name, version, catalogueVersion);
    }
  }),
);
