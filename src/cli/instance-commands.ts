import type { Command } from 'commander';
import { ReachError } from '../errors.js';
import { instanceDetailCodec, instanceListCodec, registeredCodec } from '../wire/instances.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { instancesText } from './instances-text.js';
import { numberOf } from './number-of.js';
import { printable } from './printable.js';
import { askServer } from './server-command.js';

/** `instances`, `drain` and `weight`: what registers is known to a server that stays, so these ask one. */
export function addInstanceCommands(program: Command, services: CliServices, act: Act): void {
  const commandOf = (name: string, description: string) =>
    program.command(name).description(description).argument('<agent>', "the agent's name");

  const list = commandOf('instances', 'list the instances of an agent, with their states');
  askServer(list, services, act, async (reach, agentName: string) => {
    const instances = await reach.instances(agentName);
    return { text: instancesText(instances), wire: instanceListCodec.encode(instances) };
  });

  const drain = commandOf('drain', 'let an instance finish what it has and take nothing new');
  drain.argument('<instance>', "the instance's id");
  askServer(drain, services, act, async (reach, agentName: string, instanceId: string) => {
    const drained = await reach.drain(agentName, instanceId);
    const done = `${instanceId} of ${agentName} drains, with ${drained.pending} calls pending`;
    return { text: `${printable(done)}\n`, wire: instanceDetailCodec.encode(drained) };
  });

  const weight = commandOf('weight', "set an instance's share of the work among its siblings");
  weight
    .argument('<instance>', "the instance's id")
    .argument('<weight>', 'a whole number from 0 (none) to 10000', numberOf);
  askServer(weight, services, act, async (reach, agentName: string, instanceId: string, share: number) => {
    const { address, origin } = await reach.instance(agentName, instanceId);
    // Registering it would put an instance with a lease, which nobody renews, in its place.
    if (origin === 'manifest') throw inManifest(agentName, instanceId);
    const registered = await reach.register(agentName, instanceId, { address, weight: share });
    const done = `${instanceId} of ${agentName} has weight ${share}`;
    return { text: `${printable(done)}\n`, wire: registeredCodec.encode(registered) };
  });
}

function inManifest(agentName: string, instanceId: string): ReachError {
  const detail = `The weight of ${instanceId} stands in the manifest of ${agentName}: change it there.`;
  return new ReachError('INSTANCE_STATIC', detail);
}
