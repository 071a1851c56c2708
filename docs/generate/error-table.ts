import { ERRORS, ReachError, sentenceOf } from '../../src/errors.js';
import { checkOf } from '../../src/wire/check.js';
import { problemOf } from '../../src/wire/problem.js';
import { RouteRequestSchema } from '../../src/wire/route.js';
import { replaceBlock } from './marked-block.js';

/** The table of src/errors.ts as Markdown, one row a code. */
function errorTable(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, grpc, retryable, title }]) =>
      `| \`${code}\` | ${status} | ${grpc} | ${retryable ? 'yes' : 'no'} | ${title} |`,
  );
  return [
    '| code | HTTP | gRPC | retry may help | meaning |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

/** What a request with a mistake is answered with. */
function example(): string {
  const errors = checkOf(RouteRequestSchema)({ intent: 'where is my order 20231188', top_k: 65 });
  const problem = problemOf(new ReachError('INVALID_REQUEST', sentenceOf(errors), { errors }));
  return ['```json', JSON.stringify(problem, undefined, 2), '```'].join('\n');
}

/** docs/errors.md with its example and its table renewed from the code. */
export function withErrorTable(document: string): string {
  return replaceBlock(replaceBlock(document, 'example', example()), 'errors', errorTable());
}
