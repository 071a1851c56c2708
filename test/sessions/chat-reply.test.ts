import { expect, test } from 'vitest';
import { chatReply, sentencesFor } from '../../src/sessions/chat-reply.js';
import type { DispatchAnswer } from '../../src/wire/dispatch.js';

function refused(errors: readonly { readonly pointer: string }[]): DispatchAnswer {
  const fields = errors.map((error) => ({ ...error, expected: 'an order number', received: 'nothing' }));
  return {
    requestId: 'r',
    state: 'failed',
    error: { code: 'PAYLOAD_INVALID', detail: 'the agent refused it', retryable: false, errors: fields },
    degraded: false,
    decision: null,
    attempts: [],
    waitedMs: 0,
    elapsedMs: 1,
  };
}

test('what an agent lacks is asked for as what the schema lacks', () => {
  const answer = refused([{ pointer: '/order_id' }, { pointer: '/address/city' }]);
  expect(chatReply(answer, sentencesFor('cancel it'))).toBe('I need more for this: order_id, address/city.');
  expect(chatReply(answer, sentencesFor('取消'))).toContain('order_id');
});

test('an agent that refuses and names no field has failed', () => {
  expect(chatReply(refused([]), sentencesFor('cancel it'))).toContain('did not work');
});
