import type { Command } from 'commander';
import { ReachError } from '../errors.js';
import { instanceListCodec } from '../wire/instances.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { EXIT } from './exit-codes.js';
import { instancesText } from './instances-text.js';
import { numberOf } from './number-of.js';
import { printable, printableJson } from './printable.js';
import { type RemoteReach, remoteReach } from './remote-reach.js';

/** `instances`, `drain` and `weight`: what registers is known to a server that stays, so these ask one. */
export function addInstanceCommands(program: Command, services: CliServices, act: Act): void {
  const { env, stdout } = services;

  const added = (name: string, description: string) => {
    const command = program
      .command(name)
      .description(description)
      .argument('<agent>', "the agent's name")
      .option('--url <url>', 'the server to ask (REACH_URL)');
    const server = (): RemoteReach => {
      const url = command.opts<{ url?: string }>().url || env.REACH_URL;
      return url ? remoteReach(url) : command.error('error: name a server: --url or REACH_URL');
    };
    return { command, server };
  };

  const list = added('instances', 'list the instances of an agent, with their states');
  list.command.option('--json', 'print the answer as the API gives it');
  act(list.command, async (agentName: string) => {
    const { json } = list.command.opts<{ json?: true }>();
    const instances = await list.server().instances(agentName);
    stdout.write(json ? `${printableJson(instanceListCodec.encode(instances))}\n` : instancesText(instances));
    return EXIT.done;
  });

  const drain = added('drain', 'let an instance finish what it has and take nothing new');
  drain.command.argument('<instance>', "the instance's id");
  act(drain.command, async (agentName: string, instanceId: string) => {
    const { pending } = await drain.server().drain(agentName, instanceId);
    const done = `${instanceId} of ${agentName} drains, with ${pending} calls pending`;
    stdout.write(`${printable(done)}\n`);
    return EXIT.done;
  });

  const weight = added('weight', "set an instance's share of the work among its siblings");
  weight.command
    .argument('<instance>', "the instance's id")
    .argument('<weight>', 'a whole number from 0 (none) to 10000', numberOf);
  act(weight.command, async (agentName: string, instanceId: string, share: number) => {
    const server = weight.server();
    const { address, origin } = await server.instance(agentName, instanceId);
    // Registering it would put an instance with a lease, which nobody renews, in its place.
    if (origin === 'manifest') throw inManifest(agentName, instanceId);
    await server.register(agentName, instanceId, { address, weight: share });
    stdout.write(`${printable(`${instanceId} of ${agentName} has weight ${share}`)}\n`);
    return EXIT.done;
  });
}

function inManifest(agentName: string, instanceId: string): ReachError {
  const detail = `The weight of ${instanceId} stands in the manifest of ${agentName}: change it there.`;
  return new ReachError('INSTANCE_STATIC', detail);
}
