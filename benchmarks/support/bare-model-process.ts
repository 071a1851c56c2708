import { type BareModel, loadBareModel } from './bare-model.js';

// A bare model in a process of its own, forked by BareProcess: what is left of the service's embedding process
// where nothing is in it but the model and Node's channel.

export type BareOrder = { readonly modelsFolder: string; readonly name: string } | { readonly text: string };

/** As large as the answer of the service's process. */
const VECTOR = new Float32Array(384);

let model: BareModel | undefined;

process.on('message', async (order: BareOrder) => {
  if ('text' in order) await model?.([order.text], 'query');
  else model = await loadBareModel(order.modelsFolder, order.name);
  process.send?.(VECTOR);
});
process.on('disconnect', () => process.exit(0));
