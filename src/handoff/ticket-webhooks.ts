import type { Clock } from '../clock.js';
import { asReachError, ReachError } from '../errors.js';
import type { Outbox } from '../outbox/outbox.js';
import type { TicketWebhook } from '../settings.js';
import { type StoredTicket, ticketAt } from './ticket.js';
import type { TicketNews } from './ticket-desk.js';
import { formOf, webhookBody } from './webhook-body.js';

export interface TicketWebhooksParts {
  readonly webhooks: readonly TicketWebhook[];
  readonly outbox: Pick<Outbox, 'check' | 'send'>;
  /** With what JSON is signed. */
  readonly secretRef: string | null;
  readonly clock: Clock;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

function fault(index: number, expected: string, received: string): ReachError {
  const errors = [{ pointer: `/ticketWebhooks/${index}`, expected, received }];
  return new ReachError('CONFIG_INVALID', `A ticket webhook cannot be used: expected ${expected}.`, {
    errors,
  });
}

/** Tells people of tickets where the configuration says so. */
export class TicketWebhooks {
  readonly #parts: TicketWebhooksParts;

  /** @throws ReachError CONFIG_INVALID where a webhook may not be called, or cannot be signed */
  constructor(parts: TicketWebhooksParts) {
    this.#parts = parts;
    for (const [index, { kind, url }] of parts.webhooks.entries()) {
      try {
        parts.outbox.check(url);
      } catch {
        throw fault(
          index,
          'an address whose host REACH_ALLOWED_HOSTS lists',
          `the host ${new URL(url).host}`,
        );
      }
      if (kind === 'json' && parts.secretRef === null) {
        throw fault(index, 'a REACH_WEBHOOK_SECRET beside it, to sign with', 'none');
      }
    }
  }

  /** Never rejects: people are told by the list of tickets too. */
  async tell(news: TicketNews, stored: StoredTicket): Promise<void> {
    const { webhooks, outbox, secretRef, clock, report } = this.#parts;
    const ticket = ticketAt(stored, clock.now());
    const sending = webhooks.map(({ kind, url, secretRef: robotSecretRef }, index) =>
      outbox.send({
        messageId: `${ticket.ticketId}_${stored.revision}_${index}`,
        url,
        form: formOf(kind),
        body: webhookBody(kind, news, ticket),
        secretRef: kind === 'json' ? (secretRef ?? undefined) : robotSecretRef,
      }),
    );
    for (const sent of await Promise.allSettled(sending)) {
      if (sent.status === 'fulfilled') continue;
      report(`A webhook is not told of ${ticket.ticketId}: ${asReachError(sent.reason).message}`);
    }
  }
}
