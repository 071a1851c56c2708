import {
  type AgentLogger,
  type AgentTask,
  type ServeAgentOptions,
  type ServedAgent,
  serveAgent,
} from 'agent-reach-sdk';
import { expect, onTestFinished } from 'vitest';

/** Long enough for a loaded machine. */
export const PATIENCE = { timeout: 30_000 };

/** A manifest of an agent that can `echo`, with whatever else. */
export const manifestOf = (more: object = {}) => ({
  agent_name: 'echo-agent',
  manifest_version: 1,
  capabilities: [{ id: 'echo', name: 'Echo' }],
  ...more,
});

export const SILENT: AgentLogger = { info() {}, warn() {}, error() {} };

/** Serves the echo agent on a free port until the test is finished. */
export async function testAgent(options: Partial<ServeAgentOptions> = {}): Promise<ServedAgent> {
  const agent = await serveAgent({
    manifest: manifestOf(),
    handlers: { echo: ({ payload }) => payload },
    port: 0,
    logger: SILENT,
    ...options,
  });
  onTestFinished(() => agent.close());
  return agent;
}

interface Called {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** Calls an agent over the wire to an agent. */
export async function call(
  { address }: ServedAgent,
  body: object | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Called> {
  const response = await fetch(`${address}/execute`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify({ capability_id: 'echo', ...body }),
    headers,
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

export const withId = (id: string) => ({ 'x-reach-request-id': id });

/** A handler whose tasks end when the test says so. */
export function heldTasks() {
  const tasks: { readonly task: AgentTask; readonly finish: (result: unknown) => void }[] = [];
  const echo = (task: AgentTask) => new Promise((finish) => tasks.push({ task, finish }));
  const begun = (count: number) => expect.poll(() => tasks.length, PATIENCE).toBe(count);
  return { tasks, handlers: { echo }, begun };
}
