import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { builtEntry } from '../built-entry.js';
import { ReachError } from '../errors.js';
import type { AgentProcessMessage, AgentProcessOrder, AgentProcessWord } from './agent-process-message.js';

/** How long a process may take until it listens. It takes a tenth of a second on an idle machine. */
const START_MS = 15_000;
/** How long a process may take to end by itself: longer than running tasks may go on, and the service be told. */
const END_MS = 10_000;

/** A running process of a sample agent. */
export interface AgentProcess {
  readonly pid: number | undefined;
  /** Resolves with a sentence when the process is gone, for whatever reason. */
  readonly ended: Promise<string>;
  /** It registers with this service. */
  join(reach: string): void;
  /** From now on it is silent about the service, which it cannot reach any more. */
  serviceEnds(): void;
  /** SIGTERM, and SIGKILL after 10 s. */
  stop(): Promise<void>;
}

/**
 * Starts the process of a sample agent and waits until it listens.
 * @throws ReachError PORT_TAKEN, and AGENT_UNREACHABLE where it ends or stays silent
 */
export async function startAgentProcess(
  agentName: string,
  port: number,
  order: AgentProcessOrder,
): Promise<AgentProcess> {
  const child = fork(builtEntry('demo/sample-agent.js'), [agentName, String(port)], {
    // Loaders and inspectors of this process are not meant for its children.
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = endOf(child);
  // One that could not be started has nowhere to be told; its end is told of by itself.
  child.send(order, () => {});
  try {
    await listening(child, agentName, ended);
  } catch (error) {
    await stop(child, ended);
    throw error;
  }
  const say = (word: AgentProcessWord) => void child.send(word, () => {});
  return {
    pid: child.pid,
    ended,
    join: (reach) => say({ kind: 'join', reach }),
    serviceEnds: () => say({ kind: 'service ends' }),
    stop: () => stop(child, ended),
  };
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });
}

async function listening(child: ChildProcess, agentName: string, ended: Promise<string>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const silent = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new ReachError('AGENT_UNREACHABLE', `The agent ${agentName} does not listen after ${START_MS} ms.`),
      );
    }, START_MS);
  });
  const gone = ended.then((how): never => {
    throw new ReachError('AGENT_UNREACHABLE', `The agent ${agentName} ended before it listened: ${how}.`);
  });
  try {
    const [message] = (await Promise.race([once(child, 'message'), silent, gone])) as [AgentProcessMessage];
    if (message.kind === 'failed') throw new ReachError(message.code, message.detail);
  } finally {
    clearTimeout(timer);
    gone.catch(() => undefined);
  }
}

async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await ended;
  clearTimeout(timer);
}
