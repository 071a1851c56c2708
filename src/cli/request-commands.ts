import type { Command } from 'commander';
import { queuesCodec, requestListCodec, requestStatusCodec } from '../wire/requests.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { printable } from './printable.js';
import { queuesText, requestsText, requestText } from './requests-text.js';
import { askServer } from './server-command.js';

/** `requests`, `cancel` and `queues`: what becomes of the requests of a server. */
export function addRequestCommands(program: Command, services: CliServices, act: Act): void {
  const list = program
    .command('requests')
    .description('list the requests that a server keeps, or show one')
    .argument('[id]', 'the request_id of one')
    .option('--state <state>', 'only requests in this state');
  askServer(list, services, act, async (reach, requestId: string | undefined) => {
    const { state } = list.opts<{ state?: string }>();
    if (requestId === undefined) {
      const requests = await reach.requests(state);
      return { text: requestsText(requests), wire: requestListCodec.encode(requests) };
    }
    if (state !== undefined) list.error('error: name an ID or a --state, not both');
    const request = await reach.request(requestId);
    return { text: requestText(request), wire: requestStatusCodec.encode(request) };
  });

  const cancel = program
    .command('cancel')
    .description('end a request, and tell the agent that has it')
    .argument('<id>', 'its request_id');
  askServer(cancel, services, act, async (reach, requestId: string) => {
    const request = await reach.cancel(requestId);
    const text = printable(`${request.requestId} is ${request.state}`);
    return { text: `${text}\n`, wire: requestStatusCodec.encode(request) };
  });

  const queues = program.command('queues').description('show who waits and runs where');
  askServer(queues, services, act, async (reach) => {
    const waiting = await reach.queues();
    return { text: queuesText(waiting), wire: queuesCodec.encode(waiting) };
  });
}
