import type { Command } from 'commander';
import { ReachError } from '../errors.js';
import {
  instanceDetailCodec,
  instanceListCodec,
  type Registration,
  registeredCodec,
} from '../wire/instances.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { instancesText } from './instances-text.js';
import { numberOf } from './number-of.js';
import { printable } from './printable.js';
import type { RemoteReach } from './remote-reach.js';
import { askServer, type ServerAnswer } from './server-command.js';

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
  drain.argument('<instance>', "the instance's id").option('--undo', 'let it take work again');
  askServer(drain, services, act, async (reach, agentName: string, instanceId: string) => {
    if (drain.opts<{ undo?: true }>().undo) {
      return edited(reach, agentName, instanceId, { draining: false }, 'is not drained any more');
    }
    const drained = await reach.drain(agentName, instanceId);
    const done = `${instanceId} of ${agentName} drains, with ${drained.pending} calls pending`;
    return { text: `${printable(done)}\n`, wire: instanceDetailCodec.encode(drained) };
  });

  const weight = commandOf('weight', "set an instance's share of the work among its siblings");
  weight
    .argument('<instance>', "the instance's id")
    .argument('<weight>', 'a whole number from 0 (none) to 10000; instances begin with 100', numberOf);
  askServer(weight, services, act, (reach, agentName: string, instanceId: string, share: number) =>
    edited(reach, agentName, instanceId, { weight: share }, `has weight ${share}`),
  );
}

type Edit = Pick<Registration, 'weight' | 'draining'>;

/** Changes one thing of an instance where it is, and says so. @throws ReachError INSTANCE_STATIC */
async function edited(
  reach: RemoteReach,
  agentName: string,
  instanceId: string,
  edit: Edit,
  became: string,
): Promise<ServerAnswer> {
  const { address, origin } = await reach.instance(agentName, instanceId);
  // Registering it would put an instance with a lease, which nobody renews, in its place.
  if (origin === 'manifest') {
    const detail = `${instanceId} stands in the manifest of ${agentName}: its weight is changed there, and it cannot be drained.`;
    throw new ReachError('INSTANCE_STATIC', detail);
  }
  const registered = await reach.register(agentName, instanceId, { address, ...edit });
  const done = `${instanceId} of ${agentName} ${became}`;
  return { text: `${printable(done)}\n`, wire: registeredCodec.encode(registered) };
}
