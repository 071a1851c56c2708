import type { FastifySchemaCompiler } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { ReachError, sentenceOf } from '../errors.js';
import { checkOf } from '../wire/check.js';

const PARTS: Readonly<Record<string, string>> = {
  body: 'the body',
  querystring: 'the query',
  params: 'the path',
  headers: 'the headers',
};

/** Checks a part of a request by its wire schema: INVALID_REQUEST with the faulty fields. */
export const checkRequest: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const check = checkOf(schema);
  const part = PARTS[httpPart ?? ''] ?? 'the request';
  return (value: unknown) => {
    const errors = check(value);
    if (errors.length === 0) return { value };
    return { error: new ReachError('INVALID_REQUEST', sentenceOf(errors, part), { errors }) };
  };
};

const checkNoBody = checkOf(Type.Object({}, { additionalProperties: false }));

/**
 * For a call that takes no body. An empty object is none: many clients send one.
 * @throws ReachError INVALID_REQUEST, since whoever sends more means something that is not done.
 */
export function refuseBody(body: unknown): void {
  const errors = checkNoBody(body === undefined ? {} : body);
  if (errors.length > 0) {
    throw new ReachError('INVALID_REQUEST', sentenceOf(errors, PARTS.body ?? ''), { errors });
  }
}

/** For a body that the façade itself checks, with an error code of its own. */
export const checkAllButBody: FastifySchemaCompiler<TSchema> = (route) =>
  route.httpPart === 'body' ? (value: unknown) => ({ value }) : checkRequest(route);
