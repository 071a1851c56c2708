import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { builtEntry } from '../../src/built-entry.js';
import { PatternChecker } from '../../src/manifest/pattern-checker.js';

const LONG = { leftMs: Number.POSITIVE_INFINITY };

describe('PatternChecker', () => {
  const checker = new PatternChecker();

  it.each([
    ['^[a-z0-9-]+$', 'safe'],
    ['^\\d{4}-\\d{2}-\\d{2}$', 'safe'],
    ['^[\\u4e00-\\u9fa5]{2,10}$', 'safe'],
    ['^(a|a)*$', 'slow'],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'slow'],
    ['(x+x+)+y', 'slow'],
    ['.*.*.*=.*', 'slow'],
    ['^(.*)\\1$', 'undecided'],
    ['((', 'invalid'],
    ['\\_', 'invalid'],
  ])('judges %s: %s', async (pattern, verdict) => {
    expect(await checker.check(pattern, LONG)).toBe(verdict);
  });

  it('judges many at once, one after the other', async () => {
    const patterns = Array.from({ length: 30 }, (_, index) => `^(a|b${index % 7})*$`);
    expect(new Set(await Promise.all(patterns.map((pattern) => checker.check(pattern, LONG))))).toEqual(
      new Set(['safe']),
    );
  });

  it('counts the time of checking, not that of waiting for others', async () => {
    // Each of these takes its whole second.
    const others = ['^(.*)\\1$', '^(.*)x\\1$', '^(.*)y\\1$'].map((pattern) => checker.check(pattern, LONG));
    const time = { leftMs: 1_500 };
    expect(await checker.check('^(b|b)*$', time)).toBe('slow');
    expect(time.leftMs).toBeGreaterThan(0);
    expect(time.leftMs).toBeLessThan(1_500);
    expect(await Promise.all(others)).toEqual(['undecided', 'undecided', 'undecided']);
  });

  it('decides nothing more once the time is used up, but for what is known or plain', async () => {
    const time = { leftMs: 0 };
    await checker.check('^(a|a)*$', LONG);
    const verdicts = ['^(a|a)*$', '^[a-z]+$', '^(c|c)*$'].map((pattern) => checker.check(pattern, time));
    expect(await Promise.all(verdicts)).toEqual(['slow', 'safe', 'undecided']);
  });

  const script = `
    import { PatternChecker } from ${JSON.stringify(builtEntry('manifest/pattern-checker.js'))};
    console.log(await new PatternChecker().check('^(a|a)*$', { leftMs: 60_000 }));`;
  const parent = (extra: string) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script + extra], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };

  it('does not keep the process alive', async () => {
    const child = parent('');
    const [output] = await once(child.stdout, 'data');
    expect(String(output).trim()).toBe('slow');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  // The native program is there on this platform; elsewhere there is nothing to leave behind.
  it.runIf(process.platform === 'linux' && process.arch === 'x64')(
    'leaves no process behind when its own is killed',
    async () => {
      const child = parent('setInterval(() => {}, 1_000);');
      await once(child.stdout, 'data');
      const isAlive = (pid: string) => {
        try {
          return !execFileSync('ps', ['-o', 'stat=', '-p', pid]).toString().startsWith('Z');
        } catch {
          return false;
        }
      };
      const started = execFileSync('ps', ['-o', 'pid=', '--ppid', String(child.pid)])
        .toString()
        .split('\n')
        .map((line) => line.trim())
        .filter((pid) => pid !== '' && isAlive(pid));
      expect(started).toHaveLength(1);
      child.kill('SIGKILL');
      await once(child, 'exit');
      await expect.poll(() => started.filter(isAlive), { timeout: 10_000 }).toEqual([]);
    },
  );
});
