import type { Command } from 'commander';
import { readManifests } from '../evaluation/judged-catalogue.js';
import { formatFault } from '../manifest/check-manifests.js';
import { readDocument } from '../manifest/read-document.js';
import { readRules } from '../rules/read-rules.js';
import { RULE_LIMITS } from '../rules/rule.js';
import { missingNames } from '../rules/rule-names.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { addConfigFlags, settingsOf } from './config-flags.js';
import { EXIT } from './exit-codes.js';
import { printable } from './printable.js';

const SETTINGS = ['manifests'] as const;

/** The agents of a folder of manifests; what cannot be read of it is told. */
async function agentsIn(folder: string, { stderr }: CliServices) {
  const { manifests, faults } = await readManifests([folder]);
  for (const fault of faults) stderr.write(`${printable(formatFault(fault))} (left out)\n`);
  return new Map(manifests.map(({ manifest }) => [manifest.agentName, { manifest }]));
}

/**
 * `rules check FILE`: every fault as `file:line: pointer: message`; exit code 1 where there is one. With a folder of
 * manifests, the names in the rules that none of them has: a warning, so the exit code stays 0.
 */
export function addRulesCommand(program: Command, services: CliServices, act: Act): void {
  const command = program
    .command('rules')
    .description('work with files of rules')
    .command('check')
    .description('check a file of rules, and its names where manifests are named')
    .argument('<file>', 'JSON or YAML');
  addConfigFlags(command, SETTINGS);

  act(command, async (file: string) => {
    const { stdout, stderr, env } = services;
    const { rules, faults } = readRules(file, await readDocument(file, RULE_LIMITS.bytes));
    for (const fault of faults) stdout.write(`${printable(formatFault(fault))}\n`);
    if (faults.length > 0) return EXIT.notRouted;
    stdout.write(`${rules.length === 1 ? '1 rule is' : `${rules.length} rules are`} valid\n`);
    const { manifests } = settingsOf(command, SETTINGS, env);
    if (typeof manifests !== 'string') return EXIT.done;
    const agents = await agentsIn(manifests, services);
    for (const { sentence } of missingNames(rules, { agents })) stderr.write(`${printable(sentence)}\n`);
    return EXIT.done;
  });
}
