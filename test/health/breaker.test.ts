import { describe, expect, it } from 'vitest';
import { Breakers } from '../../src/health/breakers.js';
import type { CallOutcome } from '../../src/health/instance-view.js';

type Outcome = CallOutcome['outcome'];

/** The breakers of an instance, and time that passes where a test says so. */
class Watched {
  now = 1_000_000;
  readonly breakers = new Breakers();

  calls(outcome: Outcome, times: number, capabilityId = 'weekly'): this {
    for (let i = 0; i < times; i++) this.breakers.begin(capabilityId, this.now)(outcome, this.now);
    return this;
  }

  pass(durationMs: number): this {
    this.now += durationMs;
    return this;
  }

  begin() {
    const end = this.breakers.begin('weekly', this.now);
    return (outcome: Outcome) => end(outcome, this.now);
  }

  get blocked(): string[] {
    return [...this.breakers.blocked(this.now)];
  }
}

const tripped = () => new Watched().calls('failed', 10);

describe('a breaker opens', () => {
  it.each(['failed', 'timeout', 'unreachable'] as const)(
    'at 40 %% of ten calls that ended as %s',
    (outcome) => {
      const watched = new Watched().calls('completed', 6).calls(outcome, 3);
      expect(watched.blocked).toEqual([]);
      expect(watched.calls(outcome, 1).blocked).toEqual(['weekly']);
    },
  );

  it('whatever the order of those calls', () => {
    const watched = new Watched().calls('failed', 4).calls('completed', 5);
    expect(watched.blocked).toEqual([]);
    expect(watched.calls('completed', 1).blocked).toEqual(['weekly']);
  });

  it('not under ten calls, and not under 40 %', () => {
    expect(new Watched().calls('failed', 9).blocked).toEqual([]);
    expect(new Watched().calls('completed', 61).calls('failed', 40).blocked).toEqual([]);
  });

  it.each(['refused', 'busy', 'needs_auth'] as const)('never by calls that ended as %s', (outcome) => {
    expect(new Watched().calls(outcome, 100).calls('failed', 9).blocked).toEqual([]);
  });

  it('for what happened within five minutes', () => {
    expect(new Watched().calls('failed', 9).pass(300_000).calls('failed', 9).blocked).toEqual([]);
    expect(new Watched().calls('failed', 9).pass(240_000).calls('failed', 1).blocked).toEqual(['weekly']);
  });

  it('for the capability that fails, and for no other', () => {
    const watched = new Watched().calls('failed', 10, 'monthly').calls('completed', 10, 'weekly');
    expect(watched.blocked).toEqual(['monthly']);
  });
});

describe('an open breaker', () => {
  it('lets one call through after ten seconds', () => {
    const watched = tripped();
    expect(watched.pass(9_999).blocked).toEqual(['weekly']);
    expect(watched.breakers.nextHalfOpenMs(watched.now)).toBe(watched.now + 1);
    expect(watched.pass(1).blocked).toEqual([]);
    watched.begin();
    expect(watched.blocked).toEqual(['weekly']);
    expect(watched.breakers.nextHalfOpenMs(watched.now)).toBeUndefined();
  });

  it('closes when that call is completed, and has forgotten what was before', () => {
    const watched = tripped().pass(10_000).calls('completed', 1);
    expect(watched.blocked).toEqual([]);
    expect(watched.calls('failed', 9).blocked).toEqual([]);
    expect(watched.calls('failed', 1).blocked).toEqual(['weekly']);
  });

  it('is open for another ten seconds when that call fails', () => {
    const watched = tripped().pass(10_000).calls('timeout', 1);
    expect(watched.pass(9_999).blocked).toEqual(['weekly']);
    expect(watched.pass(1).blocked).toEqual([]);
  });

  it('lets another one through when that call says nothing', () => {
    const watched = tripped().pass(10_000).calls('refused', 1);
    expect(watched.blocked).toEqual([]);
    expect(watched.calls('completed', 1).calls('failed', 9).blocked).toEqual([]);
  });

  it('learns nothing from calls that began before it opened', () => {
    const watched = new Watched();
    const before = watched.begin();
    watched.calls('failed', 10);
    before('completed');
    expect(watched.blocked).toEqual(['weekly']);
  });

  it('learns nothing from other calls while its trial is under way', () => {
    const watched = tripped().pass(10_000);
    const trial = watched.begin();
    watched.calls('completed', 5);
    expect(watched.blocked).toEqual(['weekly']);
    trial('completed');
    expect(watched.blocked).toEqual([]);
  });
});

describe('the breakers of an instance', () => {
  it('are forgotten with the capability', () => {
    const watched = new Watched();
    const late = watched.begin();
    watched.breakers.keepOnly(new Set(['monthly']));
    watched.calls('failed', 10);
    late('completed');
    expect(watched.blocked).toEqual(['weekly']);
    watched.breakers.keepOnly(new Set(['monthly']));
    expect(watched.blocked).toEqual([]);
  });

  it('are forgotten when they are idle and others come, but not while they are open', () => {
    const watched = new Watched();
    for (let day = 0; day < 100; day++) {
      for (let i = 0; i < 20; i++) watched.calls('completed', 1, `capability-${day}-${i}`);
      watched.pass(300_000);
    }
    watched.calls('failed', 10).calls('completed', 1, 'another');
    expect(watched.breakers.size).toBeLessThan(60);
    for (let i = 0; i < 100; i++) watched.calls('completed', 1, `capability-${i}`);
    expect(watched.blocked).toEqual(['weekly']);
  });
});
