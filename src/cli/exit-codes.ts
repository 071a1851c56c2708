import { CommanderError } from 'commander';
import { asReachError } from '../errors.js';

/** What a script can tell from the exit code. */
export const EXIT = Object.freeze({
  done: 0,
  /** An intent that was not routed, or input that is not valid. */
  notRouted: 1,
  usage: 2,
  serverUnreachable: 3,
});

/** The exit code of a failed command, and the sentence to show; none where commander has shown its own. */
export function failureOf(thrown: unknown): { readonly code: number; readonly sentence: string | undefined } {
  if (thrown instanceof CommanderError) {
    return { code: thrown.exitCode === 0 ? EXIT.done : EXIT.usage, sentence: undefined };
  }
  const error = asReachError(thrown);
  const code = error.code === 'SERVER_UNREACHABLE' ? EXIT.serverUnreachable : EXIT.notRouted;
  return { code, sentence: error.message };
}
