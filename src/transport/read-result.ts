import { isObject, type JsonObject } from '../wire/json-object.js';
import type { CompletedAnswer, FailedAnswer } from './agent-transport.js';
import { notUnderstood } from './failure-answer.js';

/** What an agent says of work that it has done: the body of a 200, or the data of a stream's `result`. */
export function readResult(body: JsonObject): CompletedAnswer | FailedAnswer {
  const { result, reply, entities, need_human_handoff: handoff } = body;
  if (result === undefined) return notUnderstood('the agent answered with JSON that has no "result"');
  if (reply !== undefined && reply !== null && typeof reply !== 'string') {
    return notUnderstood('the agent answered with a "reply" that is not a string');
  }
  if (entities !== undefined && entities !== null && !isObject(entities)) {
    return notUnderstood('the agent answered with "entities" that are not an object');
  }
  if (handoff !== undefined && handoff !== null && typeof handoff !== 'boolean') {
    return notUnderstood('the agent answered with a "need_human_handoff" that is not true or false');
  }
  return {
    kind: 'completed',
    result,
    reply: reply ?? undefined,
    entities: entities ?? undefined,
    needHumanHandoff: handoff ?? false,
  };
}
