import {
  ChatMessageSchema,
  type ChatMessageWire,
  ChatReplySchema,
  chatMessageCodec,
  chatReplyCodec,
} from '../wire/invoke.js';
import { DISPATCH_PROBLEMS } from './dispatch-routes.js';
import type { HttpRoute } from './http-route.js';
import { contextOf, JSON_BODY, NoQuery, ok } from './route-parts.js';

/** For chat platforms. */
export const invokeRoutes: readonly HttpRoute[] = [
  {
    method: 'POST',
    url: '/reach/invoke',
    operationId: 'invoke',
    summary: 'Answer one message of a chat.',
    tag: 'routing',
    scope: 'dispatch',
    ...JSON_BODY,
    toldDegraded: true,
    schema: {
      querystring: NoQuery,
      body: ChatMessageSchema,
      response: { 200: { description: 'What to show to the person.', schema: ChatReplySchema } },
    },
    problems: DISPATCH_PROBLEMS,
    async handle(call) {
      const message = chatMessageCodec.decode(call.body as ChatMessageWire);
      return ok(chatReplyCodec.encode(await call.reach.invoke(message, contextOf(call))));
    },
  },
];
