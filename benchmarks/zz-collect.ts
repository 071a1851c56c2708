import { mkdirSync, writeFileSync } from 'node:fs';
import v8 from 'node:v8';
import { resolveConfig } from '../src/config.js';
import { CachedEmbedder } from '../src/embedding/cached-embedder.js';
import { ModelClient } from '../src/embedding/model-client.js';
import { openModelFolder } from '../src/embedding/model-folder.js';
import { uncalibratedWeights } from '../src/routing/weights.js';
import { openStores } from '../src/storage/stores.js';
import { backgroundOf } from './support/background.js';
import { collectSamples } from './support/collect-samples.js';
import { CROSS_LANGUAGE, LABELLED_SETS } from './support/labelled-sets.js';

const { modelsFolder } = resolveConfig();
const data = '/tmp/exp/store';
mkdirSync(data, { recursive: true });
const t0 = Date.now();
const stores = await openStores(data);
async function bg(name: string, en: boolean) {
  const folder = await openModelFolder(name, modelsFolder);
  const client = new ModelClient(folder);
  await client.ready;
  const e = new CachedEmbedder(client, {
    prefix: folder.description.prefix,
    store: stores.vectors,
    onStoreError: console.error,
  });
  const b = await backgroundOf(e, LABELLED_SETS, en);
  await e.close();
  return { folder, b };
}
const [m, en] = await Promise.all([bg('multilingual-e5-small', false), bg('bge-small-en-v1.5', true)]);
await stores.close();
console.log(
  'background',
  (Date.now() - t0) / 1000,
  m.b.han.length,
  m.b.other.length,
  en.b.han.length,
  en.b.other.length,
);
const base = {
  ...uncalibratedWeights(m.folder.identity.hash),
  english_model: { name: en.folder.identity.name, sha256: en.folder.identity.hash },
  background: {
    main: { han: [...m.b.han], other: [...m.b.other] },
    english: { han: [...en.b.han], other: [...en.b.other] },
  },
};
const w = {
  ...base,
  features: [
    ...base.features,
    ...(['beside_centroid', 'english_centroid'] as const).map((name) => ({
      name,
      weight: 18,
      weight_with_payload: 18,
    })),
  ],
};
writeFileSync('/tmp/exp/start.json', JSON.stringify(w));
const sets = await collectSamples([...LABELLED_SETS, ...CROSS_LANGUAGE], w as never, {
  data,
  onSet: (l) => console.log((Date.now() - t0) / 1000, l),
});
writeFileSync('/tmp/exp/samples.v8', v8.serialize(sets));
console.log('done', (Date.now() - t0) / 1000);
process.exit(0);
