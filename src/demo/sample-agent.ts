import { once } from 'node:events';
import { type ServedAgent, serveAgent } from 'agent-reach-sdk';
import { asReachError, ReachError } from '../errors.js';
import type { AgentProcessMessage, AgentProcessOrder, AgentProcessWord } from './agent-process-message.js';
import type { AgentProgram } from './agent-program.js';
import { SAMPLE_PROGRAMS } from './sample-programs.js';

// The process of one sample agent: `node dist/demo/sample-agent.js AGENT_NAME PORT`. The service that starts it tells it
// the rest, and when to register; without one it just serves.

/** How long running tasks may go on once the agent is told to end. */
const DRAIN_MS = 3_000;

const [, , agentName, port] = process.argv;

try {
  const agent = await start(agentName, Number(port));
  endWith(agent);
  tell({ kind: 'listening', port: agent.port }, `${agentName} listens on ${agent.address}`);
} catch (thrown) {
  const { code, message } = asReachError(thrown);
  tell({ kind: 'failed', code, detail: message }, message);
  process.exitCode = 1;
}

async function start(name: string | undefined, wantedPort: number): Promise<ServedAgent> {
  const load = SAMPLE_PROGRAMS.get(name ?? '');
  if (name === undefined || load === undefined) {
    const known = [...SAMPLE_PROGRAMS.keys()].join(', ');
    throw new ReachError('AGENT_UNKNOWN', `Expected one of the sample agents ${known}, received ${name}.`);
  }
  if (!Number.isInteger(wantedPort) || wantedPort < 0 || wantedPort > 65_535) {
    throw new ReachError('CONFIG_INVALID', `Expected a port from 0 to 65535 for ${name}, received ${port}.`);
  }
  return serve(name, await load(), wantedPort);
}

async function serve(name: string, program: AgentProgram, wantedPort: number): Promise<ServedAgent> {
  const tellPerson = (line: string) => void process.stderr.write(`${name}: ${line}\n`);
  let serviceEnds = false;
  try {
    const order = await orderFor(name, program);
    const agent = await serveAgent({
      ...order,
      handlers: Object.fromEntries(program),
      port: wantedPort,
      drainMs: DRAIN_MS,
      logger: {
        info() {},
        warn: (line) => (serviceEnds ? undefined : tellPerson(line)),
        error: (line, thrown) => tellPerson(`${line}: ${asReachError(thrown).message}`),
      },
    });
    process.on('message', (word: AgentProcessWord) => {
      if (word.kind === 'join') agent.join(word.reach);
      else serviceEnds = true;
    });
    return agent;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw thrown;
    throw new ReachError(
      'PORT_TAKEN',
      `The agent ${name} cannot listen on port ${wantedPort}, which its manifest names: it is already in use. Stop what listens there, or start with --manifests and a copy that names other ports.`,
    );
  }
}

/** What the starter says; without one, a manifest that says no more than what the program can do. */
async function orderFor(name: string, program: AgentProgram) {
  if (process.send === undefined) {
    return {
      manifest: { agent_name: name, capabilities: [...program.keys()].map((id) => ({ id, name: id })) },
    };
  }
  const [order] = (await once(process, 'message')) as [AgentProcessOrder];
  return order;
}

/** Ends the process with its agent, which ends when the process that started it is gone, however that went. */
function endWith(agent: ServedAgent): void {
  const end = () => void agent.close();
  agent.closed.then(() => process.exit(0));
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
