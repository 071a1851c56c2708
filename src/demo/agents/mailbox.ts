import data from '../data/mail.json' with { type: 'json' };

export const FOLDERS = ['inbox', 'sent', 'archive'] as const;
type Folder = (typeof FOLDERS)[number];

const OWN_ADDRESS = 'me@reach.example';
const COMPANY_DOMAIN = OWN_ADDRESS.slice(OWN_ADDRESS.indexOf('@'));

/** A message as the data file has it. `sent_at` is in UTC, so that such strings compare as times do. */
export interface MailMessage {
  readonly id: string;
  readonly thread_id: string;
  readonly folder: Folder;
  readonly from: string;
  readonly to: readonly string[];
  readonly sent_at: string;
  readonly unread: boolean;
  readonly subject: string;
  readonly body: string;
}

/** The mails of the data file, and what has been written since this process started. Nothing leaves the process. */
export class Mailbox {
  readonly #messages: MailMessage[] = [...(data as readonly MailMessage[])];

  /** All messages, the newest first. */
  get messages(): readonly MailMessage[] {
    return this.#messages.toSorted((a, b) => b.sent_at.localeCompare(a.sent_at));
  }

  /** Puts a message among those that were sent, in a thread of its own. */
  send(to: readonly string[], subject: string, body: string, sentAt: Date): MailMessage {
    const threads = new Set(this.#messages.map(({ thread_id }) => thread_id));
    const message: MailMessage = {
      id: `M-${String(this.#messages.length + 1).padStart(3, '0')}`,
      thread_id: `T-${String(threads.size + 1).padStart(2, '0')}`,
      folder: 'sent',
      from: OWN_ADDRESS,
      to,
      sent_at: sentAt.toISOString(),
      unread: false,
      subject,
      body,
    };
    this.#messages.push(message);
    return message;
  }

  /** The messages of a thread in the order in which they were sent. */
  thread(id: string): readonly MailMessage[] {
    return this.messages.filter(({ thread_id }) => thread_id === id).toReversed();
  }
}

export function isExternal(address: string): boolean {
  return !address.toLowerCase().endsWith(COMPANY_DOMAIN);
}

/** A sentence with the mark that ends it, of half or full width. */
const SENTENCE = /[^.!?。\uff01\uff1f]+[.!?。\uff01\uff1f]?/g;

/** The questions of a thread that nobody but their author has written after. */
export function openQuestions(thread: readonly MailMessage[]): readonly string[] {
  const last = thread.at(-1);
  const answered = thread.findLastIndex(({ from }) => from !== last?.from);
  return thread
    .slice(answered + 1)
    .flatMap(({ body }) => body.match(SENTENCE) ?? [])
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[?\uff1f]$/.test(sentence));
}
