import { ERRORS } from '../../src/errors.js';
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

/** docs/errors.md with its table renewed from the code. */
export function withErrorTable(document: string): string {
  return replaceBlock(document, 'errors', errorTable());
}
