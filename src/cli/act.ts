import type { Command } from 'commander';

/** Gives a command its work: what it resolves with becomes the exit code. */
export type Act = <Arguments extends unknown[]>(
  command: Command,
  work: (...given: Arguments) => Promise<number>,
) => void;
