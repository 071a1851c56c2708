import { type Command, Option } from 'commander';
import { resolveConfig } from '../config.js';
import type { AskPerson, ModelQuestion } from '../embedding/hub-settings.js';
import { addModel } from '../embedding/model-download.js';
import { ReachError } from '../errors.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { EXIT } from './exit-codes.js';
import { printable } from './printable.js';

interface ModelFlags {
  readonly pooling?: string;
  readonly prefixQuery?: string;
  readonly prefixPassage?: string;
  readonly hub?: string;
}

/** The flag that answers each question beforehand. */
const ANSWERS: Readonly<
  Record<ModelQuestion['about'], { readonly flag: string; readonly key: keyof ModelFlags }>
> = {
  pooling: { flag: '--pooling', key: 'pooling' },
  prefix_query: { flag: '--prefix-query', key: 'prefixQuery' },
  prefix_passage: { flag: '--prefix-passage', key: 'prefixPassage' },
};

/** Answers from the flags, else from the person at the terminal; a script without flags is told which to give. */
function askBy(flags: ModelFlags, { isTTY, ask }: CliServices): AskPerson {
  return async ({ about, sentence, answers }) => {
    const { flag, key } = ANSWERS[about];
    const given = flags[key];
    if (given !== undefined) return given;
    if (!isTTY) throw new ReachError('MODEL_INVALID', `${sentence} Answer it with ${flag}.`);
    return ask(`${sentence}${answers === undefined ? '' : ` (${answers.join(' or ')})`}\n> `);
  };
}

/** `model add HUB_ID`: downloads a model and makes it one of those that `--model` takes by name. */
export function addModelCommand(program: Command, services: CliServices, act: Act): void {
  const command = program
    .command('model')
    .description('work with embedding models')
    .command('add')
    .description('download a model and describe how it is used')
    .argument('<hub-id>', 'owner/name at the hub')
    .addOption(new Option('--pooling <kind>', 'where the hub does not say it').choices(['mean', 'cls']))
    .option('--prefix-query <text>', 'what goes before an intent, where the hub does not say it')
    .option('--prefix-passage <text>', 'what goes before a text to be found, where the hub does not say it')
    .option('--hub <url>', 'another hub or a mirror');

  act(command, async (hubId: string) => {
    const flags = command.opts<ModelFlags>();
    const { identity } = await addModel({
      hubId,
      modelsFolder: resolveConfig().modelsFolder,
      ask: askBy(flags, services),
      onProgress: (sentence) => services.stderr.write(`${printable(sentence)}\n`),
      ...(flags.hub !== undefined && { hub: flags.hub }),
    });
    const name = printable(identity.name);
    services.stdout.write(`Added ${name}: use it with --model ${name} or REACH_MODEL\n`);
    return EXIT.done;
  });
}
