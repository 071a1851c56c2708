import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startHttp } from '../../src/http/server.js';
import type { DoctorReport } from '../../src/wire/doctor.js';
import { standInReach } from '../support/stand-in-reach.js';
import { captured } from './captured.js';

const AT = '2026-01-02T03:04:05.678Z';
const CHECKED = `Checked at ${new Date(AT).toLocaleString('sv-SE')}, as every five minutes`;

async function serverThatFound(report: Omit<DoctorReport, 'checkedAt'>): Promise<string> {
  const reach = { ...standInReach(), doctor: async () => ({ checkedAt: AT, ...report }) };
  const door = await startHttp(reach, { host: '127.0.0.1', port: 0 }, pino({ level: 'silent' }));
  onTestFinished(() => door.close());
  return door.address;
}

test('doctor says what to do once below all that it helps, how old it is, and fails where calls fail', async () => {
  const unused = (subject: string) => ({
    check: 'unused_agents',
    severity: 'note' as const,
    subject,
    sentence: `Nobody chose ${subject}.`,
    advice: 'Remove it.',
  });
  const broken = {
    check: 'rules',
    severity: 'error' as const,
    subject: 'first',
    sentence: 'Rule first has no target.',
    advice: 'Correct it.',
  };
  const url = await serverThatFound({ findings: [broken, unused('a'), unused('b')], leftOut: 3 });
  expect(await captured(['doctor', '--url', url])).toEqual({
    code: 1,
    out: [
      'error    Rule first has no target.',
      '         Correct it.',
      'note     Nobody chose a.',
      'note     Nobody chose b.',
      '         Remove it.',
      'and 3 more',
      `${CHECKED}.`,
      '',
    ].join('\n'),
    err: '',
  });
});

test('doctor says when nothing was found', async () => {
  const url = await serverThatFound({ findings: [], leftOut: 0 });
  expect(await captured(['doctor', '--url', url])).toEqual({
    code: 0,
    out: `${CHECKED}: nothing was found.\n`,
    err: '',
  });
});
