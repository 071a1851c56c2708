import type { Command } from 'commander';
import { checkManifests, formatFault } from '../manifest/check-manifests.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { EXIT } from './exit-codes.js';
import { printable } from './printable.js';

/** `manifest check FILE...`: every fault as `file:line: pointer: message`; exit code 1 where there is one. */
export function addManifestCommand(program: Command, { stdout }: CliServices, act: Act): void {
  const command = program
    .command('manifest')
    .description('work with manifest files')
    .command('check')
    .description('check manifest files without publishing them')
    .argument('<file...>', 'JSON or YAML');

  act(command, async (files: readonly string[]) => {
    const { faults } = await checkManifests(files);
    for (const fault of faults) stdout.write(`${printable(formatFault(fault))}\n`);
    if (faults.length > 0) return EXIT.notRouted;
    stdout.write(`${files.length === 1 ? '1 manifest is' : `${files.length} manifests are`} valid\n`);
    return EXIT.done;
  });
}
