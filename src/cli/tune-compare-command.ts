import type { Command } from 'commander';
import { shadowComparisonCodec } from '../wire/shadow.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { askServer } from './server-command.js';
import { shadowText } from './shadow-text.js';

/** `tune compare [HOURS]`: what the weights in the shadow would have changed. */
export function addTuneCompareCommand(tune: Command, services: CliServices, act: Act): void {
  const command = tune
    .command('compare')
    .description('show where the weights in force and those in their shadow differ')
    .argument('[hours]', 'how far back, 1 to 168', '24');
  askServer(command, services, act, async (reach, hours: string) => {
    const comparison = await reach.compareShadow(hours);
    return { text: shadowText(comparison), wire: shadowComparisonCodec.encode(comparison) };
  });
}
