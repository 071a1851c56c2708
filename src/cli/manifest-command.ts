import type { Command } from 'commander';
import { type CheckedManifests, checkManifests, formatFault } from '../manifest/check-manifests.js';
import { type RecordedIntents, recordedIntents } from '../preview/recorded-intents.js';
import { overlapCodec } from '../wire/agents.js';
import { LIMITS } from '../wire/limits.js';
import { wouldChangeCodec } from '../wire/preview.js';
import type { Act } from './act.js';
import { type Comparison, compare, isThere, isUrl } from './against.js';
import type { CliServices } from './cli-services.js';
import { addConfigFlags, settingsOf } from './config-flags.js';
import { EXIT } from './exit-codes.js';
import { exportedRoutes } from './exported-routes.js';
import { numberWithin } from './number-of.js';
import { fewExamplesNotes, overlapsText } from './overlaps-text.js';
import { printable, printableJson } from './printable.js';
import { addServerFlag, baseOf, serverOf } from './server-url.js';
import { wouldChangeText } from './would-change-text.js';

const SETTINGS = ['model', 'englishModel', 'weights', 'logLevel'] as const;

interface CheckFlags {
  readonly against?: string;
  /** Hours. */
  readonly recorded?: number;
  readonly json?: true;
}

/** What `--json` prints. `overlaps` and `would_change` are null where nothing was compared or asked. */
function reportOf({ manifests, faults }: CheckedManifests, comparison: Comparison | undefined) {
  return {
    manifests: manifests.length,
    faults,
    overlaps: comparison?.overlaps.map(overlapCodec.encode) ?? null,
    notes: comparison === undefined ? [] : manifests.flatMap(({ manifest }) => fewExamplesNotes(manifest)),
    left_out: comparison?.leftOut ?? [],
    would_change: comparison?.wouldChange ? wouldChangeCodec.encode(comparison.wouldChange) : null,
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

interface Recording {
  readonly hours: number;
  readonly server: URL;
}

/** @throws ReachError SERVER_UNREACHABLE, and what the server answers */
function intentsOf({ hours, server }: Recording): Promise<RecordedIntents> {
  const decisions = async function* () {
    for await (const { decision } of exportedRoutes(server, { hours: String(hours), newest_first: 'true' }))
      yield decision;
  };
  return recordedIntents(decisions(), () => false);
}

/**
 * `manifest check FILE...`: every fault as `file:line: pointer: message`; exit code 1 where there is one. With
 * `--against`, what overlaps with the agents of a folder or a server, and with `--recorded`, which intents would go
 * elsewhere: warnings, so the exit code stays 0.
 */
export function addManifestCommand(program: Command, services: CliServices, act: Act): void {
  const command = program
    .command('manifest')
    .description('work with manifest files')
    .command('check')
    .description('check manifest files without publishing them')
    .argument('<file...>', 'JSON or YAML')
    .option('--against <folder or url>', 'tell what overlaps with the agents of this folder or server')
    .option(
      '--recorded <hours>',
      `tell which intents of so many hours would go elsewhere, 1 to ${LIMITS.exportHours}`,
      numberWithin(1, LIMITS.exportHours, true),
    )
    .option('--json', 'print what was found as JSON');
  addConfigFlags(addServerFlag(command), SETTINGS);

  act(command, async (files: readonly string[]) => {
    const { against, recorded: hours, json } = command.opts<CheckFlags>();
    if (against !== undefined && !(await isThere(against)))
      return command.error(`error: ${against} is neither a folder that is there nor the URL of a server`);
    if (hours !== undefined && against === undefined)
      return command.error('error: --recorded goes with --against');
    const recording =
      hours === undefined || against === undefined
        ? undefined
        : { hours, server: isUrl(against) ? baseOf(against) : serverOf(command, services.env) };
    const { stdout } = services;
    const checked = await checkManifests(files);
    if (!json) stdout.write(checkText(checked));
    const valid = checked.faults.length === 0;
    const options = settingsOf(command, SETTINGS, services.env);
    const comparison =
      valid && against !== undefined
        ? await compare(
            checked.manifests,
            { against, recorded: recording && (await intentsOf(recording)) },
            options,
            services,
          )
        : undefined;
    if (json) stdout.write(`${printableJson(reportOf(checked, comparison))}\n`);
    else if (comparison !== undefined) {
      stdout.write(overlapsText(comparison, against ?? ''));
      if (comparison.wouldChange) stdout.write(wouldChangeText(comparison.wouldChange, hours ?? 0));
      tellGaps(checked, comparison, services);
    }
    return valid ? EXIT.done : EXIT.notRouted;
  });
}
