import type { Command } from 'commander';
import { sessionCodec, sessionListCodec } from '../wire/sessions.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { askServer } from './server-command.js';
import { sessionsText, sessionText } from './sessions-text.js';

/** `sessions [ID]`: what a server remembers of conversations. */
export function addSessionsCommand(program: Command, services: CliServices, act: Act): void {
  const command = program
    .command('sessions')
    .description('list the conversations that a server remembers, or show one')
    .argument('[id]', 'its session_id');
  askServer(command, services, act, async (reach, sessionId: string | undefined) => {
    if (sessionId === undefined) {
      const list = await reach.sessions();
      return { text: sessionsText(list), wire: sessionListCodec.encode(list) };
    }
    const session = await reach.session(sessionId);
    return { text: sessionText(session), wire: sessionCodec.encode(session) };
  });
}
