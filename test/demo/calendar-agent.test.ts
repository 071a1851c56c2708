import { describe, expect, test } from 'vitest';
import { createCalendarAgent } from '../../src/demo/agents/calendar-agent.js';
import { dayIn } from '../../src/demo/spoken-date.js';
import { ask, faultsOf } from './ask.js';

/** A Monday. */
const TODAY = '2025-03-10';
const create = () => createCalendarAgent(() => TODAY);

test.each([
  ['what is on 2025-04-01', '2025-04-01'],
  ['今天有会吗', '2025-03-10'],
  ['tomorrow at ten', '2025-03-11'],
  ['the day after tomorrow', '2025-03-12'],
  ['后天下午', '2025-03-12'],
  ['on Monday', '2025-03-10'],
  ['周五评审', '2025-03-14'],
  ['星期天', '2025-03-16'],
  ['soon', undefined],
])('%s is %s', (sentence, day) => {
  expect(dayIn(sentence, TODAY)).toBe(day);
});

describe('a new event', () => {
  const REVIEW = {
    title: 'Review',
    date: '2025-03-11',
    start_time: '15:00',
    attendees: ['Anna', 'Tom', 'Anna'],
  };

  test('is in the calendar afterwards, and tells whom it collides with', () => {
    const agent = create();
    expect(ask(agent, 'create-event', REVIEW).result).toEqual({
      event_id: 'EV-0007',
      title: 'Review',
      date: '2025-03-11',
      start_time: '15:00',
      end_time: '15:30',
      attendees: ['Anna', 'Tom'],
      location: null,
      visibility: 'public',
      conflicts: [
        { person: 'Anna', title: '设计评审' },
        { person: 'Tom', title: 'Sales pipeline' },
      ],
    });
    const agenda = ask(agent, 'list-events', { person: 'Tom' }, 'what is on Tuesday');
    expect(agenda.reply).toBe('2025-03-11: 15:00-16:00 Sales pipeline; 15:00-15:30 Review.');
    expect(ask(agent, 'create-event', { ...REVIEW, start_time: '16:00' }).result).toMatchObject({
      conflicts: [],
    });
  });

  test.each([
    [null, ['/title', '/date', '/start_time']],
    [{ ...REVIEW, start_time: '9:00' }, ['/start_time']],
    [{ ...REVIEW, start_time: '24:00' }, ['/start_time']],
    [{ ...REVIEW, start_time: '23:45' }, ['/start_time']],
    [{ ...REVIEW, attendees: ['Anna', 'Bob'] }, ['/attendees/1']],
    [{ ...REVIEW, duration_minutes: 0 }, ['/duration_minutes']],
    [{ ...REVIEW, options: { visibility: 'secret' } }, ['/options/visibility']],
  ])('makes no sense as %j', (payload, pointers) => {
    expect(faultsOf(create(), 'create-event', payload).map(({ pointer }) => pointer)).toEqual(pointers);
  });
});

test('an agenda is that of everyone, or of those whom the sentence names', () => {
  expect(ask(create(), 'list-events', null, '明天有哪些会').reply).toBe(
    '2025-03-11 的日程:14:00-15:30 设计评审;15:00-16:00 Sales pipeline。',
  );
  const { result } = ask(create(), 'list-events', null, '陈静明天的会议');
  expect(result).toMatchObject({ people: ['陈静'], events: [{ event_id: 'EV-0002' }] });
  expect(ask(create(), 'list-events', { date: '2025-03-15' }).result).toMatchObject({ events: [] });
  expect(faultsOf(create(), 'list-events', { person: 'Bob' })).toMatchObject([{ pointer: '/person' }]);
});

describe('a free slot', () => {
  test('is where none of the people has an event', () => {
    const { result, reply } = ask(create(), 'find-free-slot', null, 'when are anna and tom free on Tuesday');
    expect(result).toEqual({
      date: '2025-03-11',
      people: ['Anna', 'Tom'],
      slots: [
        { from: '09:00', to: '14:00' },
        { from: '16:00', to: '18:00' },
      ],
    });
    expect(reply).toBe('On 2025-03-11 Anna, Tom are free: 09:00-14:00, 16:00-18:00.');
  });

  test('does not begin within a longer event when a shorter one ends', () => {
    const agent = create();
    ask(agent, 'create-event', {
      title: 'Call',
      date: '2025-03-11',
      start_time: '14:30',
      duration_minutes: 15,
      attendees: ['Anna'],
    });
    expect(ask(agent, 'find-free-slot', { people: ['Anna'], date: '2025-03-11' }).result).toMatchObject({
      slots: [
        { from: '09:00', to: '14:00' },
        { from: '15:30', to: '18:00' },
      ],
    });
  });

  test('is long enough, within the wanted hours, and need not exist', () => {
    const between = { from: '13:00', to: '16:30' };
    const payload = { people: ['Anna', 'Tom'], date: '2025-03-11', between };
    const slotsFor = (duration_minutes: number) =>
      ask(create(), 'find-free-slot', { ...payload, duration_minutes }).result;
    expect(slotsFor(60)).toMatchObject({ slots: [{ from: '13:00', to: '14:00' }] });
    expect(slotsFor(61)).toMatchObject({ slots: [] });
  });

  test.each([
    [{ people: [] }, '/people'],
    [{ people: ['Bob'] }, '/people/0'],
    [{ between: { from: '12:00', to: '12:00' } }, '/between/to'],
    [{ between: { from: '12:00' } }, '/between/to'],
    [{ between: { from: '12:00', to: '24:00' } }, '/between/to'],
  ])('makes no sense as %j', (payload, pointer) => {
    expect(faultsOf(create(), 'find-free-slot', payload)).toMatchObject([{ pointer }]);
  });
});

test('a cancelled event is gone, a weekly one with all its days', () => {
  const agent = create();
  expect(ask(agent, 'cancel-event', null, '取消会议 EV-0002')).toMatchObject({
    result: { cancelled: { title: '设计评审' }, weekly: true },
    reply: '「设计评审」(EV-0002)已取消,以下同事恢复空闲:Anna, 陈静。',
  });
  expect(ask(agent, 'list-events', { date: '2025-03-18', person: 'Anna' }).result).toMatchObject({
    events: [],
  });
  expect(faultsOf(agent, 'cancel-event', { event_id: 'EV-0002' })).toMatchObject([{ pointer: '/event_id' }]);
  expect(faultsOf(agent, 'cancel-event', null, 'cancel it')).toMatchObject([{ pointer: '/event_id' }]);
});
