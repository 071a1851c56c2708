import type { AgentProgram, AgentTask, TaskAnswer } from '../agent-program.js';
import { languageOf } from '../asker-language.js';
import { type CalendarDate, calendarDate, currentDate } from '../calendar-date.js';
import { clockTime, DAY_MINUTES, written } from '../clock-time.js';
import {
  integer,
  listOf,
  object,
  oneOf,
  optional,
  type Reader,
  readPayload,
  refusal,
  text,
} from '../payload-reader.js';
import { type RecordNumber, requiredNumber } from '../record-number.js';
import { dayIn } from '../spoken-date.js';
import { type CalendarEvent, Diary, overlap, type TimeSpan } from './diary.js';

const EVENT_ID: RecordNumber = {
  field: 'event_id',
  pattern: /EV-\d{4}(?!\d)/,
  expected: 'an event number such as EV-0001',
};
const OFFICE_HOURS: TimeSpan = { start: 9 * 60, end: 18 * 60 };
const DEFAULT_MINUTES = 30;

const minutes = optional(integer(5, 480));

/** The calendars of a few colleagues. What is added and cancelled stays so as long as the program runs. */
export function createCalendarAgent(today: () => CalendarDate = currentDate): AgentProgram {
  const diary = new Diary();
  const colleague = oneOf(diary.people);
  return new Map([
    ['create-event', (task: AgentTask) => createEvent(diary, colleague, task)],
    ['list-events', (task: AgentTask) => listEvents(diary, colleague, task, today())],
    ['find-free-slot', (task: AgentTask) => findFreeSlot(diary, colleague, task, today())],
    ['cancel-event', (task: AgentTask) => cancelEvent(diary, task)],
  ]);
}

function createEvent(diary: Diary, colleague: Reader<string>, { intent, payload }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, {
    title: text,
    date: calendarDate,
    start_time: clockTime,
    duration_minutes: minutes,
    attendees: optional(listOf(colleague, 'an array of names', 0)),
    options: optional(
      object({ location: optional(text), visibility: optional(oneOf(['public', 'private'])) }),
    ),
  });
  const { title, date, start_time: start, options } = fields;
  const length = fields.duration_minutes ?? DEFAULT_MINUTES;
  const end = start + length;
  if (end > DAY_MINUTES) {
    throw refusal('/start_time', `a start from which ${length} minutes end on the same day`, written(start));
  }
  const attendees = [...new Set(fields.attendees)];
  const conflicts = diary
    .eventsOn(date, attendees)
    .filter((event) => overlap(event, { start, end }))
    .flatMap((event) =>
      event.people
        .filter((person) => attendees.includes(person))
        .map((person) => ({ person, title: event.title })),
    );
  const { id } = diary.add(title, date, { start, end }, attendees);
  const when = `${date} ${written(start)}-${written(end)}`;
  const clash = conflicts.map(({ person, title: other }) => `${person} (${other})`);
  const said = {
    zh: `已创建「${title}」${when},编号 ${id}。${clash.length > 0 ? `时间冲突:${clash.join('、')}。` : ''}`,
    en: `"${title}" is scheduled for ${when} as ${id}.${clash.length > 0 ? ` Conflicts: ${clash.join(', ')}.` : ''}`,
  };
  return {
    result: {
      event_id: id,
      title,
      date,
      start_time: written(start),
      end_time: written(end),
      attendees,
      location: options?.location ?? null,
      visibility: options?.visibility ?? 'public',
      conflicts,
    },
    reply: said[languageOf(intent)],
  };
}

function listEvents(
  diary: Diary,
  colleague: Reader<string>,
  { intent, payload }: AgentTask,
  today: CalendarDate,
): TaskAnswer {
  const fields = readPayload(payload, { date: optional(calendarDate), person: optional(colleague) });
  const date = fields.date ?? dayIn(intent, today) ?? today;
  const named = fields.person === undefined ? peopleIn(intent, diary) : [fields.person];
  const events = diary.eventsOn(date, named.length > 0 ? named : diary.people);
  const listed = events.map(({ title, start, end }) => `${written(start)}-${written(end)} ${title}`);
  const said = {
    zh: `${date} 的日程:${listed.join(';') || '无'}。`,
    en: `${date}: ${listed.join('; ') || 'nothing'}.`,
  };
  return {
    result: { date, people: named, events: events.map(shown) },
    reply: said[languageOf(intent)],
  };
}

function findFreeSlot(
  diary: Diary,
  colleague: Reader<string>,
  { intent, payload }: AgentTask,
  today: CalendarDate,
): TaskAnswer {
  const fields = readPayload(payload, {
    people: optional(listOf(colleague, 'an array of at least 1 name')),
    date: optional(calendarDate),
    duration_minutes: minutes,
    between: optional(object({ from: clockTime, to: clockTime })),
  });
  const named = fields.people ?? peopleIn(intent, diary);
  const people = named.length > 0 ? named : diary.people;
  const date = fields.date ?? dayIn(intent, today) ?? today;
  const within =
    fields.between === undefined ? OFFICE_HOURS : { start: fields.between.from, end: fields.between.to };
  if (within.start >= within.end)
    throw refusal('/between/to', 'a time after /between/from', written(within.end));
  const slots = diary
    .freeOn(date, people, within, fields.duration_minutes ?? DEFAULT_MINUTES)
    .map(({ start, end }) => ({ from: written(start), to: written(end) }));
  const listed = slots.map(({ from, to }) => `${from}-${to}`);
  const said = {
    zh: `${people.join('、')} ${date} 都有空的时间:${listed.join('、') || '无'}。`,
    en: `On ${date} ${people.join(', ')} are free: ${listed.join(', ') || 'never'}.`,
  };
  return { result: { date, people, slots }, reply: said[languageOf(intent)] };
}

function cancelEvent(diary: Diary, task: AgentTask): TaskAnswer {
  const id = requiredNumber(task, EVENT_ID);
  const event = diary.remove(id);
  if (event === undefined) throw refusal('/event_id', 'the number of an event in the calendar', id);
  const people = event.people.join(', ');
  const said = {
    zh: `「${event.title}」(${id})已取消${people === '' ? '' : `,以下同事恢复空闲:${people}`}。`,
    en: `"${event.title}" (${id}) is cancelled${people === '' ? '' : `; free again: ${people}`}.`,
  };
  return {
    result: { cancelled: shown(event), weekly: event.on.kind === 'weekly' },
    reply: said[languageOf(task.intent)],
  };
}

function shown({ id, title, start, end, people }: CalendarEvent) {
  return { event_id: id, title, start_time: written(start), end_time: written(end), people };
}

/** The colleagues whose names are in a sentence. */
function peopleIn(intent: string, { people }: Diary): readonly string[] {
  const sentence = intent.toLowerCase();
  return people.filter((person) => sentence.includes(person.toLowerCase()));
}
