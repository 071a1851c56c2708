import type { Command } from 'commander';
import { type CheckedManifests, checkManifests, formatFault } from '../manifest/check-manifests.js';
import { overlapCodec } from '../wire/agents.js';
import type { Act } from './act.js';
import { type Comparison, compare, isThere } from './against.js';
import type { CliServices } from './cli-services.js';
import { addConfigFlags, settingsOf } from './config-flags.js';
import { EXIT } from './exit-codes.js';
import { fewExamplesNotes, overlapsText } from './overlaps-text.js';
import { printable, printableJson } from './printable.js';

const SETTINGS = ['model', 'englishModel', 'weights', 'logLevel'] as const;

interface CheckFlags {
  readonly against?: string;
  readonly json?: true;
}

/** What `--json` prints. `overlaps` is null where nothing was compared. */
function reportOf({ manifests, faults }: CheckedManifests, comparison: Comparison | undefined) {
  return {
    manifests: manifests.length,
    faults,
    overlaps: comparison?.overlaps.map(overlapCodec.encode) ?? null,
    notes: comparison === undefined ? [] : manifests.flatMap(({ manifest }) => fewExamplesNotes(manifest)),
    left_out: comparison?.leftOut ?? [],
  };
}

function checkText({ manifests, faults }: CheckedManifests): string {
  if (faults.length > 0) return faults.map((fault) => `${printable(formatFault(fault))}\n`).join('');
  return `${manifests.length === 1 ? '1 manifest is' : `${manifests.length} manifests are`} valid\n`;
}

/** What could not be compared, or not fully. */
function tellGaps({ manifests }: CheckedManifests, { leftOut }: Comparison, { stderr }: CliServices): void {
  const lines = [
    ...leftOut.map((fault) => `${formatFault(fault)} (left out)`),
    ...manifests.flatMap(({ manifest }) => fewExamplesNotes(manifest)),
  ];
  for (const line of lines) stderr.write(`${printable(line)}\n`);
}

/**
 * `manifest check FILE...`: every fault as `file:line: pointer: message`; exit code 1 where there is one. With
 * `--against`, what overlaps with the agents of a folder or a server: a warning, so the exit code stays 0.
 */
export function addManifestCommand(program: Command, services: CliServices, act: Act): void {
  const command = program
    .command('manifest')
    .description('work with manifest files')
    .command('check')
    .description('check manifest files without publishing them')
    .argument('<file...>', 'JSON or YAML')
    .option('--against <folder or url>', 'tell what overlaps with the agents of this folder or server')
    .option('--json', 'print faults and overlaps as JSON');
  addConfigFlags(command, SETTINGS);

  act(command, async (files: readonly string[]) => {
    const { against, json } = command.opts<CheckFlags>();
    if (against !== undefined && !(await isThere(against)))
      return command.error(`error: ${against} is neither a folder that is there nor the URL of a server`);
    const { stdout } = services;
    const checked = await checkManifests(files);
    if (!json) stdout.write(checkText(checked));
    const valid = checked.faults.length === 0;
    const options = settingsOf(command, SETTINGS, services.env);
    const comparison =
      valid && against !== undefined
        ? await compare(checked.manifests, against, options, services)
        : undefined;
    if (json) stdout.write(`${printableJson(reportOf(checked, comparison))}\n`);
    else if (comparison !== undefined) {
      stdout.write(overlapsText(comparison, against ?? ''));
      tellGaps(checked, comparison, services);
    }
    return valid ? EXIT.done : EXIT.notRouted;
  });
}
