import { type Command, Option } from 'commander';
import { type DispatchRequest, dispatchAnswerCodec, LANES, type Lane } from '../wire/dispatch.js';
import { requestStatusCodec } from '../wire/requests.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { dispatchText } from './dispatch-text.js';
import { EXIT } from './exit-codes.js';
import { printable } from './printable.js';
import { addRequestFlags, type RequestFlags, requestOf } from './request-flags.js';
import { askServer } from './server-command.js';

interface DispatchFlags extends RequestFlags {
  readonly lane?: Lane;
  readonly requestId?: string;
  readonly async?: true;
}

/** `dispatch "INTENT"`: has it done by a server. Exit code 0 where it is completed, or taken for later, else 1. */
export function addDispatchCommand(program: Command, services: CliServices, act: Act): void {
  const command = addRequestFlags(
    program.command('dispatch').description('have something done by whoever can do it'),
  )
    .addOption(new Option('--lane <lane>', 'how urgent it is').choices([...LANES]))
    .option('--request-id <id>', 'a name of yours: the same again gives the same answer')
    .option('--async', 'do not wait for the answer');

  askServer(command, services, act, async (reach, intent: string | undefined) => {
    const flags = command.opts<DispatchFlags>();
    const { lane, requestId } = flags;
    const request: DispatchRequest = {
      ...(await requestOf(intent, flags, command)),
      ...(lane !== undefined && { lane }),
      ...(requestId !== undefined && { requestId }),
    };
    if (flags.async) {
      const status = await reach.dispatchLater(request);
      const id = printable(status.requestId);
      const text = `${status.state} ${id}\nTo see what becomes of it: agent-reach requests ${id}\n`;
      return { text, wire: requestStatusCodec.encode(status) };
    }
    const answer = await reach.dispatch(request);
    return {
      text: dispatchText(answer),
      wire: dispatchAnswerCodec.encode(answer),
      exitCode: answer.state === 'completed' ? EXIT.done : EXIT.notRouted,
    };
  });
}
