import type { MessageForm, OutboxMessage } from './message.js';
import { dingtalkParameters, feishuFields, standardHeaders } from './signatures.js';

/** A message as it goes over the wire now. */
export interface SealedMessage {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `secret`: what stands behind the message's `secretRef`. Signatures name the time, so each attempt is sealed anew. */
export function sealed(
  { messageId, url, form, body }: OutboxMessage,
  secret: string | undefined,
  nowMs: number,
): SealedMessage {
  const plain = { url: new URL(url), headers: { 'content-type': 'application/json; charset=utf-8' }, body };
  if (secret === undefined) return plain;
  switch (form) {
    case 'signed':
      return { ...plain, headers: { ...plain.headers, ...standardHeaders(messageId, body, secret, nowMs) } };
    case 'feishu':
      return { ...plain, body: JSON.stringify({ ...feishuFields(secret, nowMs), ...JSON.parse(body) }) };
    case 'dingtalk':
      for (const [name, value] of Object.entries(dingtalkParameters(secret, nowMs))) {
        plain.url.searchParams.set(name, value);
      }
      return plain;
    case 'slack':
      return plain;
  }
}

/** Feishu and DingTalk answer 200 to everything, and say in the body what came of it. */
const CODE_FIELDS: Readonly<Partial<Record<MessageForm, string>>> = { feishu: 'code', dingtalk: 'errcode' };

/** Why a platform did not take what it answered with a 2xx, in words without a full stop; undefined: it took it. */
export function refusalIn(form: MessageForm, body: string): string | undefined {
  const field = CODE_FIELDS[form];
  if (field === undefined) return undefined;
  let code: unknown;
  try {
    code = JSON.parse(body)?.[field];
  } catch {
    return `the answer of ${form} is no JSON`;
  }
  if (code === 0) return undefined;
  return typeof code === 'number' ? `${form} refused it with ${field} ${code}` : `${form} told no ${field}`;
}
