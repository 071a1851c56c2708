import type { FileHandle } from 'node:fs/promises';
import type { Command } from 'commander';
import { conclusionsOf } from '../evaluation/conclusions.js';
import { evaluate } from '../evaluation/evaluate.js';
import { setNameOf } from '../evaluation/evaluation-report.js';
import { predictionOf } from '../evaluation/judge.js';
import { queriesOf } from '../evaluation/query-file.js';
import type { Reach } from '../reach.js';
import type { Act } from './act.js';
import { ALONE } from './alone.js';
import { CatalogueProgress } from './catalogue-progress.js';
import type { CliServices, EmbeddingHooks } from './cli-services.js';
import { addConfigFlags, settingsOf } from './config-flags.js';
import { addEvaluateFlags, type EvaluateFlags } from './evaluate-flags.js';
import { type EvaluateInputs, readInputs } from './evaluate-inputs.js';
import { evaluationText } from './evaluation-text.js';
import { EXIT } from './exit-codes.js';
import { refuseUnlessFile, tellFaults } from './faulty-files.js';
import { opened, refuseSharedFiles } from './output-files.js';
import { printable, printableJson } from './printable.js';
import { ProgressBar } from './progress-bar.js';
import { worstText } from './worst-text.js';

const SETTINGS = ['model', 'weights', 'logLevel'] as const;

interface Outputs {
  readonly json: FileHandle | undefined;
  readonly predictions: FileHandle | undefined;
}

/** Judges a started service, and writes what came of it. */
class EvaluateRun {
  readonly #flags: EvaluateFlags;
  readonly #inputs: EvaluateInputs;
  readonly #outputs: Outputs;
  readonly #services: CliServices;
  readonly #bar: ProgressBar;
  readonly #catalogue: CatalogueProgress;

  constructor(flags: EvaluateFlags, inputs: EvaluateInputs, outputs: Outputs, services: CliServices) {
    this.#flags = flags;
    this.#inputs = inputs;
    this.#outputs = outputs;
    this.#services = services;
    this.#bar = new ProgressBar(services.stderr);
    this.#catalogue = new CatalogueProgress(inputs.manifests, this.#bar);
  }

  get hooks(): EmbeddingHooks {
    return this.#catalogue;
  }

  async judge(reach: Reach): Promise<number> {
    try {
      const { leftOut, faults } = await this.#catalogue.publish(reach);
      if (faults.length === 0) return await this.#evaluate(reach, leftOut.length);
      tellFaults(faults, 'the catalogue', this.#services, 'measured');
      return EXIT.notRouted;
    } finally {
      this.#bar.clear();
    }
  }

  async #evaluate(reach: Reach, leftOut: number): Promise<number> {
    const { queries, payload, threshold, topK, worst: most } = this.#flags;
    const { names, survey } = this.#inputs;
    const { json, predictions } = this.#outputs;
    const asking = { payload, threshold, topK };
    const set = { set: setNameOf(queries), queries: queriesOf(queries), names, asking, worst: most };
    let done = 0;
    const { evaluation, worst } = await evaluate(reach, set, async (judged) => {
      await predictions?.appendFile(`${JSON.stringify(predictionOf(judged, names, topK))}\n`);
      done += 1;
      this.#bar.show('Routing', done, survey.queries);
    });
    this.#bar.clear();
    await json?.appendFile(`${printableJson(evaluation.report)}\n`);
    const notes = conclusionsOf(evaluation, { survey, payloadSent: payload, leftOut });
    const parts = [
      evaluationText(evaluation),
      notes.map((note) => `${printable(note)}\n`).join(''),
      ...worst.map((explained, index) => worstText(explained, names, index + 1)),
    ];
    this.#services.stdout.write(parts.filter((part) => part !== '').join('\n'));
    return EXIT.done;
  }
}

/** `evaluate`: how right routing is on labelled intents, measured with the engine that serves. */
export function addEvaluateCommand(program: Command, services: CliServices, act: Act): void {
  const command = program
    .command('evaluate')
    .description('measure how right routing is, and what its confidence means, on labelled intents');
  addConfigFlags(addEvaluateFlags(command), SETTINGS);

  act(command, async () => {
    const flags = command.opts<EvaluateFlags>();
    await refuseUnlessFile(flags.queries, command);
    const settings = settingsOf(command, SETTINGS, services.env);
    const inputs = await readInputs(flags, services);
    if (inputs === undefined) return EXIT.notRouted;
    const read = [flags.queries, settings.weights ?? [], inputs.manifests.map(({ file }) => file)].flat();
    await refuseSharedFiles([flags.json, flags.predictions], read, command);
    const json = await opened(flags.json, command);
    const predictions = await opened(flags.predictions, command);
    try {
      const run = new EvaluateRun(flags, inputs, { json, predictions }, services);
      const reach = await services.createReach({ ...settings, ...ALONE }, run.hooks);
      try {
        return await run.judge(reach);
      } finally {
        await reach.close();
      }
    } finally {
      await json?.close();
      await predictions?.close();
    }
  });
}
