import { type Static, Type } from 'typebox';
import { LIMITS } from '../wire/limits.js';
import { readTraceparent } from '../wire/traceparent.js';
import type { HttpAnswer, HttpCall } from './http-route.js';

export const NoQuery = Type.Object({}, { additionalProperties: false });
export const AgentParams = Type.Object({
  name: Type.String({ minLength: 1, maxLength: LIMITS.idChars, description: "The agent's agent_name." }),
});
export const agentNameIn = (params: unknown) => (params as Static<typeof AgentParams>).name;

export const LimitQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.String({
        pattern: '^([1-9][0-9]?|100)$',
        description: `how many at most: a whole number from 1 to ${LIMITS.historyItems}, which is the default`,
      }),
    ),
  },
  { additionalProperties: false },
);
/** What a LimitQuery asks for. */
export function limitIn(query: unknown): { readonly limit?: number } {
  const { limit } = query as Static<typeof LimitQuery>;
  return limit === undefined ? {} : { limit: Number(limit) };
}

/** `most`: how many hours may be asked for, of which the façade refuses more; `unsaid`: what is meant where none is named. */
export const Hours = (most: number, unsaid = '24') =>
  Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,5}$',
      description: `how far back: a whole number of hours from 1 to ${most}, ${unsaid} where it is not said`,
    }),
  );
/** What such a field asks for. */
export const hoursIn = (hours: string | undefined) => (hours === undefined ? {} : { hours: Number(hours) });

/** Calls without a body may carry an empty object at most. */
export const NO_BODY = { bodyLimit: 1_024, bodyDepth: 1, bodyCheckedBy: 'schema' } as const;

export const JSON_BODY = {
  bodyLimit: LIMITS.bodyBytes,
  bodyDepth: LIMITS.bodyDepth,
  bodyCheckedBy: 'schema',
} as const;

export const ok = (body: unknown): HttpAnswer => ({ status: 200, body });

/** What surrounds a call and is passed on with it. */
export function contextOf({ headers, signal }: HttpCall): { signal: AbortSignal; traceparent?: string } {
  const traceparent = readTraceparent(headers.traceparent);
  return { signal, ...(traceparent !== undefined && { traceparent }) };
}
