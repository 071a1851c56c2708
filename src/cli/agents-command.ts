import type { Command } from 'commander';
import { agentListCodec, manifestHistoryCodec } from '../wire/agents.js';
import type { Act } from './act.js';
import { agentsText, historyText } from './agents-text.js';
import type { CliServices } from './cli-services.js';
import { addConfigFlags, settingsOf } from './config-flags.js';
import { EXIT } from './exit-codes.js';
import { printableJson } from './printable.js';
import { askServer } from './server-command.js';
import { withReach } from './with-reach.js';

const SETTINGS = ['manifests', 'model', 'logLevel'] as const;

/** `agents`: what exists; `agents history`: what was published. */
export function addAgentsCommand(program: Command, services: CliServices, act: Act): void {
  const command = program
    .command('agents')
    .description('list the agents, their instances and capabilities')
    .option('--json', 'print the answer as the API gives it')
    .option('--url <url>', 'ask this server instead of this process (REACH_URL)');
  addConfigFlags(command, SETTINGS);

  act(command, async () => {
    const { json, url } = command.opts<{ json?: true; url?: string }>();
    return withReach(services, url, settingsOf(command, SETTINGS, services.env), async (reach) => {
      const list = await reach.agents();
      services.stdout.write(json ? `${printableJson(agentListCodec.encode(list))}\n` : agentsText(list));
      return EXIT.done;
    });
  });

  addHistoryCommand(command, services, act);
}

/** `agents history NAME`: the versions of a manifest that a server keeps; this process has none of its own. */
function addHistoryCommand(agents: Command, services: CliServices, act: Act): void {
  const command = agents
    .command('history')
    .description("list the versions of an agent's manifest that a server keeps")
    .argument('<name>', "the agent's name");
  askServer(command, services, act, async (reach, agentName: string) => {
    const history = await reach.history(agentName);
    return { text: historyText(history), wire: manifestHistoryCodec.encode(history) };
  });
}
