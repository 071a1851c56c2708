import type { Command } from 'commander';
import { trendCodec } from '../wire/records.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { askServer } from './server-command.js';
import { trendText } from './trend-text.js';

/** `trend AGENT`: how reachable an agent was. */
export function addTrendCommand(program: Command, services: CliServices, act: Act): void {
  const command = program
    .command('trend')
    .description('draw how reachable an agent was')
    .argument('<agent>', "the agent's name")
    .option('--hours <1..8760>', 'how far back', '24');
  askServer(command, services, act, async (reach, agentName: string) => {
    const trend = await reach.trend(agentName, command.opts<{ hours: string }>().hours);
    return { text: trendText(trend), wire: trendCodec.encode(trend) };
  });
}
