import { systemClock } from '../../src/clock.js';
import type { InvokeCall } from '../../src/facade/invoke-call.js';
import { OpenCalls } from '../../src/facade/open-calls.js';
import { type SessionCalls, sessionCalls } from '../../src/facade/session-calls.js';
import { Lifecycle } from '../../src/lifecycle.js';
import { Sessions } from '../../src/sessions/sessions.js';
import { MemorySessionStore } from '../../src/storage/memory/session-store.js';

/** Sessions in memory, and a chat in which every message is repeated. */
export function standInSessions(): SessionCalls & InvokeCall {
  const sessions = new Sessions({ store: new MemorySessionStore(), team: 't', clock: systemClock });
  const calls = new OpenCalls(new Lifecycle(() => {}), () => true);
  return {
    ...sessionCalls({ sessions }, calls),
    invoke: async ({ sessionId, message }) => ({
      agentId: 'report-agent',
      reply: message,
      sessionId,
      spentMs: 3,
      needHumanHandoff: false,
    }),
  };
}
