import { describe, expect, it, test } from 'vitest';
import { type Circumstances, InstanceHealth } from '../../src/health/instance-health.js';
import type { CallOutcome } from '../../src/health/instance-view.js';
import type { ProbeResult } from '../../src/health/probe.js';
import type { InstanceReport } from '../../src/registry/instance.js';

const OK: ProbeResult = { kind: 'ok', rttMs: 0 };
const REFUSED: ProbeResult = { kind: 'failed', by: 'network', detail: 'connection refused' };
const LOGIN: ProbeResult = { kind: 'needs_auth', detail: 'it answered 401' };

const report = (state: InstanceReport['state'], pending?: number): InstanceReport => ({
  state,
  pending,
  load: undefined,
});

/** An instance that time passes for only where a test says so: a probe every 5 s, unless told otherwise. */
class Watched {
  now = 1_000_000;
  readonly health: InstanceHealth;
  readonly circumstances: Circumstances;

  constructor({
    leased = false,
    probed = true,
    startsDown = false,
    draining = false,
    maxConcurrency = undefined as number | undefined,
  } = {}) {
    this.health = new InstanceHealth({ leased, probed, startsDown });
    this.circumstances = { draining, maxConcurrency };
  }

  probes(result: ProbeResult, times: number, everyMs = 5_000): this {
    for (let i = 0; i < times; i++) {
      this.now += everyMs;
      this.health.probed(result, this.now);
    }
    return this;
  }

  call(outcome: CallOutcome['outcome'], elapsedMs = 10): this {
    this.health.callBegan();
    this.health.callEnded({ outcome, elapsedMs }, this.now);
    return this;
  }

  pass(durationMs: number): this {
    this.now += durationMs;
    return this;
  }

  get suspect() {
    return this.health.isSuspect(this.now);
  }

  get state() {
    return this.health.condition(this.circumstances, this.now).state;
  }

  get why() {
    return this.health.condition(this.circumstances, this.now).why;
  }

  get reachability() {
    return this.health.reachability(this.circumstances.maxConcurrency, this.now);
  }
}

describe('an instance that nothing is known of', () => {
  it('is up and wholly reachable before its first probe, so that our restart takes nobody out', () => {
    const watched = new Watched();
    expect([watched.state, watched.reachability]).toEqual(['up', 1]);
  });

  it('that stood back for another one is down until five probes have succeeded, without a minute of waiting', () => {
    const watched = new Watched({ startsDown: true });
    expect([watched.state, watched.why]).toEqual(['down', 'not probed yet since it came back']);
    expect(watched.probes(OK, 4).state).toBe('down');
    expect(watched.probes(OK, 1).state).toBe('up');
  });
});

describe('probes that fail', () => {
  it('three in a row take it out, with the reason', () => {
    const watched = new Watched().probes(OK, 20).probes(REFUSED, 2);
    expect(watched.state).toBe('up');
    expect(watched.probes(REFUSED, 1).state).toBe('down');
    expect(watched.why).toBe('3 probes failed: connection refused');
  });

  it('one that succeeds between them breaks the row', () => {
    const watched = new Watched().probes(OK, 20);
    for (let i = 0; i < 10; i++) watched.probes(REFUSED, 2).probes(OK, 1);
    expect(watched.state).not.toBe('down');
  });

  it('a busy node is not declared dead: where it has no lease, a call that it answers breaks the row', () => {
    const watched = new Watched().probes(OK, 20);
    for (let i = 0; i < 10; i++) watched.probes(REFUSED, 2).call('completed');
    expect(watched.state).toBe('degraded');
  });

  it('a busy node is not declared dead: where it has a lease, a call that it answers makes three failures a fence', () => {
    const watched = new Watched({ leased: true }).probes(OK, 20);
    expect(watched.probes(REFUSED, 2).call('completed').probes(REFUSED, 1).state).toBe('fenced');
  });

  it('count as the slowest there are', () => {
    const watched = new Watched().probes(OK, 1).probes(REFUSED, 1);
    expect(watched.reachability).toBeCloseTo(0.4 * (19 / 39) + 0.3 + 0 + 0.1);
  });
});

describe('the way back', () => {
  it('takes five successes and a minute', () => {
    const watched = new Watched().probes(REFUSED, 3);
    expect(watched.probes(OK, 6, 9_000).state).toBe('down');
    expect(watched.probes(OK, 1, 5_999).state).toBe('down');
    expect(watched.probes(OK, 1, 1).state).not.toBe('down');
  });

  it('takes five successes after the minute, too', () => {
    const watched = new Watched().probes(REFUSED, 30, 10_000);
    expect(watched.probes(OK, 4, 10_000).state).toBe('down');
    expect(watched.probes(OK, 1, 10_000).state).not.toBe('down');
  });

  it('flapping, up 20 s and down 20 s, never gets there', () => {
    const watched = new Watched().probes(REFUSED, 3);
    for (let flap = 0; flap < 50; flap++) {
      expect(watched.probes(OK, 4, 5_000).state).toBe('down');
      expect(watched.probes(REFUSED, 4, 5_000).state).toBe('down');
    }
  });

  it('a missing login is no success, but no failure either', () => {
    const watched = new Watched().probes(REFUSED, 3).pass(60_000).probes(OK, 4).probes(LOGIN, 3);
    expect(watched.state).toBe('needs_auth');
    expect(watched.probes(OK, 1).state).not.toBe('down');
  });
});

describe('the fence', () => {
  const beat = report('up');
  const fenced = () => {
    const watched = new Watched({ leased: true }).probes(OK, 20).probes(REFUSED, 2);
    watched.health.heard(beat);
    return watched.probes(REFUSED, 1);
  };

  it('goes up where a beat comes among the failures', () => {
    const watched = fenced();
    expect([watched.state, watched.why]).toEqual([
      'fenced',
      '3 probes failed: connection refused, while its heartbeats come',
    ]);
  });

  it('goes up with the first beat after the failures, and not for one from before', () => {
    const watched = new Watched({ leased: true });
    watched.health.heard(beat);
    expect(watched.probes(REFUSED, 3).state).toBe('down');
    watched.health.heard(beat);
    expect(watched.state).toBe('fenced');
  });

  it('is lifted by five successes, without the minute', () => {
    const watched = fenced();
    expect(watched.probes(OK, 4).state).toBe('fenced');
    expect(watched.probes(OK, 1).state).toBe('up');
  });

  it('asks to pause with every beat, and to resume once it is lifted', () => {
    const watched = fenced();
    const { health } = watched;
    expect([health.heard(beat), health.heard(beat)]).toEqual([['pause'], ['pause']]);
    expect(health.heard(report('paused'))).toEqual(['pause']);
    expect(watched.state).toBe('fenced');
    watched.probes(OK, 5);
    expect([watched.state, watched.why]).toEqual(['paused', 'it has not resumed yet']);
    expect(health.heard(report('paused'))).toEqual(['resume']);
    expect(health.heard(beat)).toEqual([]);
    expect(watched.state).toBe('up');
  });

  it('asks nobody to resume that paused by itself', () => {
    const watched = new Watched({ leased: true });
    watched.health.heard(report('paused'));
    watched.probes(REFUSED, 3);
    expect(watched.health.heard(report('paused'))).toEqual([]);
    watched.probes(OK, 5);
    expect(watched.health.heard(report('paused'))).toEqual([]);
    expect([watched.state, watched.why]).toEqual(['paused', 'it paused by itself']);
  });

  it('asks a draining one nothing, neither then nor later', () => {
    const watched = fenced();
    expect(watched.health.heard(report('draining'))).toEqual([]);
    watched.probes(OK, 5);
    expect(watched.health.heard(report('paused'))).toEqual([]);
  });

  it('is none any more where the lease is over: what comes back then has been away', () => {
    const watched = fenced();
    watched.health.leaseChanged(false, watched.now);
    expect([watched.state, watched.why]).toEqual(['expired', 'no heartbeat came within its lease']);
    watched.health.leaseChanged(true, watched.now);
    expect(watched.state).toBe('down');
    watched.health.heard(beat);
    expect(watched.state).toBe('fenced');
  });
});

describe('a login that is missing', () => {
  it('is not counted as unreachable: three probes and more leave it listed and in service but for that', () => {
    const watched = new Watched().probes(LOGIN, 10);
    expect([watched.state, watched.why, watched.reachability]).toEqual(['needs_auth', 'it answered 401', 1]);
    expect(watched.probes(OK, 1).state).toBe('up');
  });

  it('found by a call counts for a minute, whatever probes say', () => {
    const watched = new Watched().call('needs_auth');
    expect(watched.probes(OK, 11).state).toBe('needs_auth');
    expect(watched.health.changesByItselfAtMs(watched.now)).toBe(watched.now + 5_000);
    expect(watched.pass(5_000).state).toBe('up');
    expect(watched.health.changesByItselfAtMs(watched.now)).toBeUndefined();
  });

  it('found by a call is there again once a call is completed', () => {
    expect(new Watched().call('needs_auth').call('completed').state).toBe('up');
  });

  it('is not what is wrong with one that is gone: three failures make it down', () => {
    expect(new Watched().probes(LOGIN, 1).probes(REFUSED, 2).state).toBe('needs_auth');
    expect(new Watched().probes(LOGIN, 1).probes(REFUSED, 3).state).toBe('down');
  });
});

describe('an instance that nobody probes', () => {
  it('takes work at once when it comes back, since no probe will say that it is there', () => {
    expect(new Watched({ probed: false, startsDown: true }).state).toBe('up');
  });

  it('is tried again ten seconds after a call could not reach it', () => {
    const watched = new Watched({ probed: false }).call('unreachable');
    expect([watched.suspect, watched.state]).toEqual([true, 'degraded']);
    expect(watched.health.changesByItselfAtMs(watched.now)).toBe(watched.now + 10_000);
    expect(watched.pass(9_999).suspect).toBe(true);
    expect([watched.pass(1).suspect, watched.state]).toEqual([false, 'up']);
    expect(watched.health.changesByItselfAtMs(watched.now)).toBeUndefined();
  });
});

describe('a suspect', () => {
  const suspect = () => new Watched().probes(OK, 20).call('unreachable');

  it('is what a call could not reach: degraded, with the reason', () => {
    const watched = suspect();
    expect([watched.state, watched.why]).toEqual(['degraded', 'a call found no connection, or lost it']);
  });

  test.each<[string, (watched: Watched) => Watched]>([
    ['a probe succeeds', (watched) => watched.probes(OK, 1)],
    ['a probe asks for a login', (watched) => watched.probes(LOGIN, 1).probes(OK, 1)],
    ['a call is completed', (watched) => watched.call('completed')],
    ['a call is refused', (watched) => watched.call('refused')],
  ])('is none any more once %s', (_, happen) => {
    const watched = happen(suspect());
    expect([watched.suspect, watched.state]).toEqual([false, 'up']);
  });

  it('stays one while probes fail, and is down after three', () => {
    const watched = suspect().probes(REFUSED, 2);
    expect(watched.suspect).toBe(true);
    expect([watched.probes(REFUSED, 1).state, watched.suspect]).toEqual(['down', false]);
  });

  it('is nobody who is out already', () => {
    expect(new Watched().probes(REFUSED, 3).call('unreachable').suspect).toBe(false);
  });

  it.each(['failed', 'timeout', 'refused', 'busy', 'needs_auth'] as const)(
    'is not what a call that ended as %s makes',
    (outcome) => {
      expect(new Watched().call(outcome).suspect).toBe(false);
    },
  );

  it('failed calls alone take nobody out', () => {
    const watched = new Watched().probes(OK, 20);
    for (let i = 0; i < 1_000; i++) watched.call('failed').call('timeout').call('unreachable');
    expect(watched.probes(OK, 1).state).toBe('up');
  });
});

describe('calls', () => {
  it('under way, or reported, make it busy where a maximum is declared, the larger of both', () => {
    const watched = new Watched({ maxConcurrency: 2, leased: true });
    watched.health.callBegan();
    watched.health.heard(report('up', 1));
    expect([watched.state, watched.health.pending]).toEqual(['up', 1]);
    watched.health.heard(report('up', 2));
    expect([watched.state, watched.why]).toEqual(['busy', '2 calls are under way, of at most 2']);
    watched.health.heard(report('up', 0));
    expect([watched.state, watched.health.pending]).toEqual(['up', 1]);
  });

  it('under way count nothing where no maximum is declared', () => {
    const watched = new Watched();
    for (let i = 0; i < 100; i++) watched.health.callBegan();
    expect([watched.state, watched.reachability]).toEqual(['up', 1]);
  });

  it('that failed count for five minutes, those that say nothing of it never', () => {
    const watched = new Watched().call('failed').call('completed');
    for (const outcome of ['refused', 'busy', 'needs_auth'] as const) watched.call(outcome);
    expect(watched.reachability).toBeCloseTo(0.95);
    expect(watched.pass(240_000).reachability).toBeCloseTo(0.95);
    expect(watched.pass(60_000).reachability).toBe(1);
  });
});

describe('the first state that holds', () => {
  const lost = (watched: Watched) => watched.health.leaseChanged(false, watched.now);
  const drains = (watched: Watched) => void watched.health.heard(report('draining', 9));
  const pauses = (watched: Watched) => void watched.health.heard(report('paused', 9));
  const login = (watched: Watched) => void watched.call('needs_auth');
  const down = (watched: Watched) => void watched.probes(REFUSED, 3);
  const busy = (watched: Watched) => void watched.health.heard(report('up', 9));
  const suspect = (watched: Watched) => void watched.call('unreachable');

  test.each([
    ['expired', [down, login, drains, lost]],
    ['draining', [down, login, drains]],
    ['paused', [down, login, pauses]],
    ['needs_auth', [busy, down, login]],
    ['down', [busy, suspect, down]],
    ['busy', [busy, suspect]],
    ['degraded', [suspect]],
  ] as const)('is %s', (state, happenings) => {
    const watched = new Watched({ leased: true, maxConcurrency: 5 });
    for (const happen of happenings) happen(watched);
    expect(watched.state).toBe(state);
  });

  test('is draining where it was told so, whatever it reports', () => {
    const watched = new Watched({ leased: true, draining: true });
    watched.health.heard(report('up'));
    expect(watched.state).toBe('draining');
  });
});
