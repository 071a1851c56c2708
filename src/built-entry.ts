import { fileURLToPath } from 'node:url';

/**
 * The JavaScript file of a module that runs in a process or thread of its own.
 * Node cannot start a `.ts` file there, so from source (tests, benchmarks) the built twin in `dist/` is taken.
 * `path` is relative to `src/` (or `dist/`), with the ending `.js`.
 */
export function builtEntry(path: string): string {
  const root = import.meta.url.endsWith('.ts') ? '../dist/' : './';
  return fileURLToPath(new URL(root + path, import.meta.url));
}
