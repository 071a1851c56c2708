import type { Command } from 'commander';
import { trendCodec } from '../wire/records.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { EXIT } from './exit-codes.js';
import { printableJson } from './printable.js';
import { remoteReach } from './remote-reach.js';
import { trendText } from './trend-text.js';

/** `trend AGENT`: how reachable an agent was. */
export function addTrendCommand(program: Command, { env, stdout }: CliServices, act: Act): void {
  const command = program
    .command('trend')
    .description('draw how reachable an agent was')
    .argument('<agent>', "the agent's name")
    .option('--hours <1..8760>', 'how far back', '24')
    .option('--json', 'print the answer as the API gives it')
    .option('--url <url>', 'the server to ask (REACH_URL)');

  act(command, async (agentName: string) => {
    const { hours, json, url } = command.opts<{ hours: string; json?: true; url?: string }>();
    const server = url || env.REACH_URL;
    if (!server) return command.error('error: name a server: --url or REACH_URL');
    const trend = await remoteReach(server).trend(agentName, hours);
    stdout.write(json ? `${printableJson(trendCodec.encode(trend))}\n` : trendText(trend, Number(hours)));
    return EXIT.done;
  });
}
