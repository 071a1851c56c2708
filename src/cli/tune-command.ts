import type { Command } from 'commander';
import type { ReachOptions } from '../config.js';
import { onPatterns } from '../evaluation/conclusions.js';
import type { Tuned, TuneStep } from '../judging/tune.js';
import type { Reach } from '../reach.js';
import type { Act } from './act.js';
import { ALONE } from './alone.js';
import { CatalogueProgress } from './catalogue-progress.js';
import type { CliServices } from './cli-services.js';
import { addConfigFlags, settingsOf } from './config-flags.js';
import { EXIT } from './exit-codes.js';
import { refuseUnlessFile, tellFaults } from './faulty-files.js';
import { refuseSharedFiles } from './output-files.js';
import { printable } from './printable.js';
import { ProgressBar } from './progress-bar.js';
import { withServedWeights } from './served-weights.js';
import { addTuneCompareCommand } from './tune-compare-command.js';
import { addTuneFlags, type TuneFlags, tunedServer } from './tune-flags.js';
import { readTuneInputs, type TuneInputs } from './tune-inputs.js';
import { TuneOutputs } from './tune-outputs.js';
import { tuneText } from './tune-text.js';
import { addTuningCommands } from './tuning-commands.js';

const SETTINGS = ['model', 'englishModel', 'weights', 'logLevel'] as const;

const STEPS: Readonly<Record<TuneStep, string>> = {
  learn: 'Learning',
  'judge before': 'Judging the weights before',
  'judge after': 'Judging the weights after',
};

/** Learns and judges over the catalogue of the inputs; undefined where it cannot be published, which was told. */
async function tunedOver(
  { manifests: files, queries }: TuneInputs,
  { holdout, precision }: TuneFlags,
  options: ReachOptions,
  services: CliServices,
): Promise<Tuned | undefined> {
  const bar = new ProgressBar(services.stderr);
  const catalogue = new CatalogueProgress(files, bar);
  // What is tuned are the weights' own thresholds.
  const reach: Reach = await services.createReach({ ...options, ...ALONE, threshold: null }, catalogue);
  try {
    const { leftOut, faults } = await catalogue.publish(reach);
    if (faults.length > 0) {
      tellFaults(faults, 'the catalogue', services, 'tuned');
      return undefined;
    }
    const manifests = files.map(({ manifest }) => manifest);
    const at = new Date().toISOString();
    // Only now: every other command starts sooner, and a service is smaller, without what learns.
    const { tune } = await import('../judging/tune.js');
    const tuned = await tune(reach, {
      ...{ manifests, queries, holdout, precision, at },
      onProgress: (step, done, total) => bar.show(STEPS[step], done, total),
    });
    const notes = [...tuned.report.notes, ...onPatterns(leftOut.length)];
    return { ...tuned, report: { ...tuned.report, notes } };
  } finally {
    bar.clear();
    await reach.close();
  }
}

/** Writes what came of it, and says so. */
async function concluded(
  { weights, report }: Tuned,
  { out, force }: TuneFlags,
  outputs: TuneOutputs,
  { stdout }: CliServices,
): Promise<number> {
  stdout.write(tuneText(report));
  await outputs.writeReport(report);
  const refused = report.refused && !force;
  if (!refused) await outputs.writeWeights(weights);
  if (out !== undefined) {
    const became = refused ? 'was not written: --force writes weights that are refused' : 'has the weights';
    stdout.write(`${printable(`${out} ${became}`)}\n`);
  }
  return refused ? EXIT.notRouted : EXIT.done;
}

/** `tune`: weights learned from labelled intents, and what they would change; its subcommands put weights into force. */
export function addTuneCommand(program: Command, services: CliServices, act: Act): void {
  const command = program
    .command('tune')
    .description('learn weights from labelled intents, and tell what they would change');
  addConfigFlags(addTuneFlags(command), SETTINGS);
  addTuningCommands(command, services, act);
  addTuneCompareCommand(command, services, act);

  act(command, async () => {
    const flags = command.opts<TuneFlags>();
    const server = tunedServer(command, services.env);
    for (const file of flags.queries) await refuseUnlessFile(file, command);
    const settings = settingsOf(command, SETTINGS, services.env);
    const inputs = await readTuneInputs(flags, server, services);
    if (inputs === undefined) return EXIT.notRouted;
    const read = [
      ...flags.queries,
      ...inputs.manifests.map(({ file }) => file),
      settings.weights ?? [],
    ].flat();
    await refuseSharedFiles([flags.out, flags.report, flags.json], read, command);
    const outputs = await TuneOutputs.open(flags, command);
    try {
      const under = (weights: string | null) => tunedOver(inputs, flags, { ...settings, weights }, services);
      const tuned =
        server === undefined ? await under(settings.weights ?? null) : await withServedWeights(server, under);
      return tuned === undefined ? EXIT.notRouted : await concluded(tuned, flags, outputs, services);
    } finally {
      await outputs.close();
    }
  });
}
