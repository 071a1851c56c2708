/** What Node and undici put on their errors. */
export interface Fault extends Error {
  readonly code?: string;
  readonly syscall?: string;
}

/** Happy eyeballs wraps one error an address in an AggregateError that has no message of its own. */
export function wordsOf(fault: Fault): string {
  if (fault instanceof AggregateError) return fault.errors.map((error: Error) => error.message).join('; ');
  return fault.message === '' ? (fault.code ?? fault.name) : fault.message;
}
