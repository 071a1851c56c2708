import type { Command } from 'commander';
import { ReachError } from '../errors.js';
import { formatFault } from '../manifest/check-manifests.js';
import { readDocument } from '../manifest/read-document.js';
import { LIMITS } from '../wire/limits.js';
import { type ApplyOptions, type Rollback, type Tuning, tuningCodec } from '../wire/tuning.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { numberOf } from './number-of.js';
import { printable } from './printable.js';
import { askServer, type ServerAnswer } from './server-command.js';
import { inForceText, tuningText } from './tuning-text.js';

/** What stands in a file of weights; the server checks it. @throws ReachError INVALID_REQUEST where nothing does */
async function readWeightsFile(file: string): Promise<unknown> {
  const read = await readDocument(file, LIMITS.manifestBytes);
  if (read.kind === 'document') return read.document;
  throw new ReachError('INVALID_REQUEST', formatFault({ file, pointer: '', ...read }));
}

function answer(tuning: Tuning, text: string): ServerAnswer {
  return { text, wire: tuningCodec.encode(tuning) };
}

const basedOnFlag = [
  '--based-on <number>',
  'refuse where another number than this is in force by now',
  numberOf,
] as const;

/** `tune apply|history|rollback|shadow`: which weights decide on a server, without a restart of it. */
export function addTuningCommands(tune: Command, services: CliServices, act: Act): void {
  const apply = tune
    .command('apply')
    .description('put weights into force on a server')
    .argument('<file>', 'JSON, as tune writes it')
    .option('--note <text>', 'for whoever reads the history later')
    .option(...basedOnFlag);
  askServer(apply, services, act, async (reach, file: string) => {
    const tuning = await reach.applyWeights(await readWeightsFile(file), apply.opts<ApplyOptions>());
    return answer(tuning, inForceText(tuning));
  });

  const history = tune.command('history').description('show which weights are in force, and which were');
  askServer(history, services, act, async (reach) => {
    const tuning = await reach.tuning();
    return answer(tuning, tuningText(tuning));
  });

  const rollback = tune
    .command('rollback')
    .description('take the newest weights back: those before them are in force again')
    .option(...basedOnFlag);
  askServer(rollback, services, act, async (reach) => {
    const tuning = await reach.rollBackWeights(rollback.opts<Rollback>());
    return answer(tuning, inForceText(tuning));
  });

  const shadow = tune
    .command('shadow')
    .description('let weights answer beside those in force, without effect')
    .argument('[file]', 'JSON, as tune writes it')
    .option('--off', 'let no weights answer beside them any more');
  askServer(shadow, services, act, async (reach, file?: string) => {
    const { off } = shadow.opts<{ off?: true }>();
    if ((file === undefined) !== (off === true)) shadow.error('error: name a FILE or say --off, one of them');
    const tuning = await reach.shadowWeights(file === undefined ? null : await readWeightsFile(file));
    const beside = tuning.shadow?.weightsVersion ?? 'nothing';
    return answer(tuning, `${printable(`in the shadow: ${beside}`)}\n`);
  });
}
