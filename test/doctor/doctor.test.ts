import { describe, expect, it } from 'vitest';
import { Doctor, type DoctorCheck, type Found } from '../../src/doctor/doctor.js';
import { HandClock } from '../support/hand-clock.js';

const found = (severity: Found['severity'], subject: string): Found => ({
  severity,
  subject,
  sentence: 'It is so.',
  advice: 'Do this.',
});

const check = (name: string, ...findings: Found[]): DoctorCheck => ({ name, examine: () => findings });

describe('the report', () => {
  it('names the check of each finding, the gravest first, whichever check found it', async () => {
    const checks = [
      check('first', found('note', 'a'), found('error', 'b')),
      check('second', found('warning', 'c')),
    ];
    const { findings, leftOut } = await new Doctor(checks, new HandClock()).report();
    expect(findings.map(({ check, severity, subject }) => [check, severity, subject])).toEqual([
      ['first', 'error', 'b'],
      ['second', 'warning', 'c'],
      ['first', 'note', 'a'],
    ]);
    expect(leftOut).toBe(0);
  });

  it('holds a hundred findings of a check, the gravest of them, and says how many there are beyond', async () => {
    const notes = Array.from({ length: 150 }, (_, index) => found('note', `n${index}`));
    const { findings, leftOut } = await new Doctor(
      [check('many', ...notes, found('error', 'last')), check('few', found('note', 'x'))],
      new HandClock(),
    ).report();
    expect(findings).toHaveLength(101);
    expect(findings[0]).toMatchObject({ severity: 'error', subject: 'last' });
    expect(findings.at(-1)).toMatchObject({ check: 'few' });
    expect(leftOut).toBe(51);
  });

  it('tells of a check that fails, and of what the others found', async () => {
    const broken: DoctorCheck = { name: 'broken', examine: () => Promise.reject(new Error('no store')) };
    const { findings } = await new Doctor(
      [broken, check('fine', found('note', 'a'))],
      new HandClock(),
    ).report();
    expect(findings).toMatchObject([
      { check: 'broken', severity: 'warning', sentence: expect.stringContaining('no store') },
      { check: 'fine' },
    ]);
  });
});

describe('the rounds', () => {
  it('are made every five minutes, and between them the latest report is given', async () => {
    const clock = new HandClock();
    let rounds = 0;
    const counting: DoctorCheck = {
      name: 'counting',
      examine: () => {
        rounds += 1;
        return [];
      },
    };
    const doctor = new Doctor([counting], clock);
    doctor.start();
    const first = await doctor.report();
    expect(await doctor.report()).toBe(first);
    clock.pass(299_999);
    expect(rounds).toBe(1);
    clock.pass(1);
    expect(rounds).toBe(2);
    expect((await doctor.report()).checkedAt).toBe(new Date(300_000).toISOString());
    clock.pass(300_000);
    expect(rounds).toBe(3);
    doctor.close();
    expect(clock.delays).toEqual([]);
  });
});
