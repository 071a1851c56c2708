import type { Clock } from '../clock.js';
import { asReachError } from '../errors.js';
import { readIntent } from '../routing/read-request.js';
import { chatReply, fieldsText, sentencesFor } from '../sessions/chat-reply.js';
import { choiceIn } from '../sessions/open-question.js';
import type { SessionState } from '../sessions/session.js';
import type { Sessions } from '../sessions/sessions.js';
import { capabilityKey } from '../wire/capability-key.js';
import { camelCheckOf } from '../wire/check.js';
import type { DispatchAnswer, DispatchRequest } from '../wire/dispatch.js';
import { type ChatMessage, ChatMessageSchema, type ChatReply } from '../wire/invoke.js';
import { type OpenCalls, refuseUnlessFit } from './open-calls.js';
import type { RequestContext } from './request-calls.js';

/** For chat platforms: a message in, the words to show out. */
export interface InvokeCall {
  /**
   * Dispatches a message; where a question of the session is open, a number or the name of a choice answers that.
   * @throws ReachError as dispatch, but for PAYLOAD_INVALID, which the reply tells
   */
  invoke(message: ChatMessage, context?: RequestContext): Promise<ChatReply>;
}

interface InvokeParts {
  readonly sessions: Sessions;
  readonly dispatch: (request: DispatchRequest, context: RequestContext) => Promise<DispatchAnswer>;
  readonly clock: Clock;
}

const checkMessage = camelCheckOf(ChatMessageSchema);

export function invokeCall({ sessions, dispatch, clock }: InvokeParts, calls: OpenCalls): InvokeCall {
  return {
    async invoke(given, context = {}) {
      calls.refuseUnlessOpen();
      refuseUnlessFit(checkMessage, given);
      const start = clock.monotonic();
      const { sessionId, userId, extra } = given;
      const message = readIntent(given.message, '/message');
      const session = await sessions.read(sessionId).catch(() => undefined);
      const base: DispatchRequest = {
        sessionId,
        ...(userId !== undefined && { userId }),
        ...(extra !== undefined && { payload: extra }),
      };
      const outcome = await answered(base, message, session, (request) => dispatch(request, context)).catch(
        refusedPayload,
      );
      // "2" has no language.
      const say = sentencesFor(/\p{L}/u.test(message) ? message : (session?.intent ?? ''));
      const told =
        'missing' in outcome
          ? { agentId: null, reply: say.lacks(fieldsText(outcome.missing)), needHumanHandoff: false }
          : {
              agentId: outcome.attempts.at(-1)?.agentName ?? null,
              reply: chatReply(outcome, say),
              needHumanHandoff: outcome.state === 'handed_off' && outcome.decision?.outcome !== 'clarify',
            };
      return { ...told, sessionId, spentMs: Math.round(clock.monotonic() - start) };
    },
  };
}

/** Takes a message as the answer to the question that is open in its session, else as an intent. */
async function answered(
  base: DispatchRequest,
  message: string,
  session: SessionState | undefined,
  dispatch: (request: DispatchRequest) => Promise<DispatchAnswer>,
): Promise<DispatchAnswer> {
  const choice = session && choiceIn(message, session.confirmations);
  if (choice === undefined) return dispatch({ ...base, intent: message });
  const { routeId, agentName, capabilityId } = choice;
  try {
    return await dispatch({ ...base, routeId, choice: capabilityKey(agentName, capabilityId) });
  } catch (thrown) {
    if (asReachError(thrown).code !== 'ROUTE_UNKNOWN') throw thrown;
    // Questions are open for ten minutes, and not over a restart; the session knows longer what was asked.
    const intent = session?.intent ?? null;
    return dispatch({ ...base, agentName, capabilityId, ...(intent !== null && { intent }) });
  }
}

/** In a chat a payload that lacks something is no fault of the platform: the person is asked for it. */
function refusedPayload(thrown: unknown): { readonly missing: readonly string[] } {
  const { code, errors } = asReachError(thrown);
  if (code !== 'PAYLOAD_INVALID') throw thrown;
  return { missing: errors.map(({ pointer }) => pointer.replace(/^\/payload/, '')) };
}
