import { asReachError, ReachError } from '../errors.js';
import type { AgentProcessMessage } from './agent-process-message.js';
import { SAMPLE_PROGRAMS } from './sample-programs.js';
import { type AgentServer, serveAgent } from './serve-agent.js';

// The process of one sample agent: `node dist/demo/sample-agent.js AGENT_NAME PORT`.

const [, , agentName, port] = process.argv;

try {
  const server = await start(agentName, Number(port));
  endWith(server);
  tell({ kind: 'listening', port: server.port }, `${agentName} listens on http://127.0.0.1:${server.port}`);
} catch (thrown) {
  const { code, message } = asReachError(thrown);
  tell({ kind: 'failed', code, detail: message }, message);
  process.exitCode = 1;
}

async function start(name: string | undefined, wantedPort: number): Promise<AgentServer> {
  const load = SAMPLE_PROGRAMS.get(name ?? '');
  if (name === undefined || load === undefined) {
    const known = [...SAMPLE_PROGRAMS.keys()].join(', ');
    throw new ReachError('AGENT_UNKNOWN', `Expected one of the sample agents ${known}, received ${name}.`);
  }
  if (!Number.isInteger(wantedPort) || wantedPort < 0 || wantedPort > 65_535) {
    throw new ReachError('CONFIG_INVALID', `Expected a port from 0 to 65535 for ${name}, received ${port}.`);
  }
  return serveAgent(name, await load(), wantedPort);
}

/** Ends the process when it is told to, and when the process that started it is gone, however that went. */
function endWith(server: AgentServer): void {
  const end = () => {
    server.close().then(() => process.exit(0));
  };
  process.once('SIGTERM', end);
  process.once('disconnect', end);
  // Ctrl-C reaches a whole process group; with a starter it is for the starter to say when its agents end.
  process.on('SIGINT', () => {
    if (!process.connected) end();
  });
}

/** To the starter where there is one, else to the terminal. */
function tell(message: AgentProcessMessage, sentence: string): void {
  const failed = message.kind === 'failed';
  if (process.send === undefined) (failed ? process.stderr : process.stdout).write(`${sentence}\n`);
  // What has failed lets go of the channel, which else would keep its process alive.
  else process.send(message, undefined, undefined, () => failed && process.disconnect());
}
