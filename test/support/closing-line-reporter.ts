import type { SerializedError } from 'vitest';
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';

interface Tally {
  passed: number;
  failed: number;
  readonly skipped: string[];
}

function countTest(test: TestCase, tally: Tally): void {
  const result = test.result();
  if (result.state === 'passed') tally.passed += 1;
  else if (result.state === 'failed') tally.failed += 1;
  else {
    const reason = result.state === 'skipped' ? result.note : 'it never finished';
    tally.skipped.push(`${test.fullName}: ${reason ?? 'no reason given'}`);
  }
}

/** A file or suite that fails by itself (it does not load, a hook throws) is one failure more. */
function countOwnErrors(container: TestModule | TestSuite, tally: Tally): void {
  if (container.errors().length > 0) tally.failed += 1;
}

/**
 * Ends the output of a run with the reason of each skip and `N passed, N failed, N skipped` alone on a line.
 * With REACH_NO_SKIPS=1, as in CI, a skip fails the run: what was not tried is not known to work.
 */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const tally: Tally = { passed: 0, failed: unhandledErrors.length, skipped: [] };
    for (const module of modules) {
      countOwnErrors(module, tally);
      for (const suite of module.children.allSuites()) countOwnErrors(suite, tally);
      for (const test of module.children.allTests()) countTest(test, tally);
    }
    if (tally.skipped.length > 0 && process.env.REACH_NO_SKIPS === '1') process.exitCode = 1;
    for (const skip of tally.skipped) process.stdout.write(`skipped: ${skip}\n`);
    process.stdout.write(`${tally.passed} passed, ${tally.failed} failed, ${tally.skipped.length} skipped\n`);
  }
}
