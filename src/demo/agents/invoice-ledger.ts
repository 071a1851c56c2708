import { type CalendarDate, plusDays } from '../calendar-date.js';
import data from '../data/invoices.json' with { type: 'json' };

export const COUNTRIES = ['DE', 'FR', 'NL', 'CN'] as const;
export type Country = (typeof COUNTRIES)[number];

type InvoiceState = 'open' | 'partly_paid' | 'paid' | 'overdue';

/** An invoice that was sent to a customer. Money is in cents, VAT included. */
export interface Invoice {
  readonly number: string;
  readonly customer: string;
  readonly issued_on: CalendarDate;
  readonly due_on: CalendarDate;
  readonly total_cents: number;
  readonly paid_cents: number;
  readonly currency: string;
}

export interface InvoiceDraft {
  readonly customer: string;
  readonly country: Country;
  readonly lines: readonly { readonly quantity: number; readonly unitPrice: number }[];
  readonly issuedOn: CalendarDate;
  readonly termsDays: number;
}

/** What was issued: net + VAT = the invoice's total, in cents. */
export interface IssuedInvoice {
  readonly invoice: Invoice;
  readonly net: number;
  readonly vat: number;
}

/** The invoices of the data file, and what has been issued and paid since this process started. */
export class InvoiceLedger {
  readonly #invoices = new Map<string, Invoice>(data.invoices.map((each) => [each.number, each]));

  invoice(number: string): Invoice | undefined {
    return this.#invoices.get(number);
  }

  /** Issues an invoice under the next free number; VAT is rounded once, on the sum. */
  issue({ customer, country, lines, issuedOn, termsDays }: InvoiceDraft): IssuedInvoice {
    const { vat_percent: vatPercent, currency } = data.countries[country];
    const net = lines.reduce((sum, { quantity, unitPrice }) => sum + quantity * unitPrice, 0);
    const vat = Math.round((net * vatPercent) / 100);
    const last = Math.max(...[...this.#invoices.keys()].map((number) => Number(number.slice(4))));
    const invoice: Invoice = {
      number: `INV-${last + 1}`,
      customer,
      issued_on: issuedOn,
      due_on: plusDays(issuedOn, termsDays),
      total_cents: net + vat,
      paid_cents: 0,
      currency,
    };
    this.#invoices.set(invoice.number, invoice);
    return { invoice, net, vat };
  }

  /** Books an amount, at most what is outstanding; returns the invoice as it is now. */
  pay(invoice: Invoice, cents: number): Invoice {
    const paid: Invoice = { ...invoice, paid_cents: invoice.paid_cents + cents };
    this.#invoices.set(paid.number, paid);
    return paid;
  }

  /** What was due before a day and is not paid in full, the longest due first. */
  overdue(asOf: CalendarDate): readonly Invoice[] {
    return [...this.#invoices.values()]
      .filter((invoice) => stateOf(invoice, asOf) === 'overdue')
      .toSorted((a, b) => a.due_on.localeCompare(b.due_on));
  }
}

export function outstandingOf(invoice: Invoice): number {
  return invoice.total_cents - invoice.paid_cents;
}

export function stateOf(invoice: Invoice, asOf: CalendarDate): InvoiceState {
  if (outstandingOf(invoice) === 0) return 'paid';
  if (invoice.due_on < asOf) return 'overdue';
  return invoice.paid_cents > 0 ? 'partly_paid' : 'open';
}
