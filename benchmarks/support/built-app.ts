const APP = new URL('../../dist/app.js', import.meta.url).href;

/**
 * The library as it ships: what runs TypeScript in place puts work of its own into every function that is made,
 * and a benchmark of microseconds would measure that too.
 */
export const { createReach, serve }: typeof import('../../src/app.js') = await import(APP);
