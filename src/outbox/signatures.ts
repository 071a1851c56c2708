import { createHmac } from 'node:crypto';

const BASE64_PREFIX = 'whsec_';

/** Standard Webhooks writes secrets as base64 behind `whsec_`; any other text is its own bytes. */
function keyOf(secret: string): Buffer {
  return secret.startsWith(BASE64_PREFIX)
    ? Buffer.from(secret.slice(BASE64_PREFIX.length), 'base64')
    : Buffer.from(secret);
}

const hmacOf = (key: string | Buffer, text: string) =>
  createHmac('sha256', key).update(text).digest('base64');

/**
 * The headers of Standard Webhooks 1.0 (https://www.standardwebhooks.com). The time is that of the attempt, so that a
 * receiver can refuse what is old.
 */
export function standardHeaders(
  messageId: string,
  body: string,
  secret: string,
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signature = hmacOf(keyOf(secret), `${messageId}.${timestamp}.${body}`);
  return {
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

/**
 * The fields that Feishu wants in the body of a robot with a secret: time and secret are the key, and nothing is the
 * text (https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot).
 */
export function feishuFields(secret: string, nowMs: number): { timestamp: string; sign: string } {
  const timestamp = String(Math.floor(nowMs / 1_000));
  return { timestamp, sign: hmacOf(`${timestamp}\n${secret}`, '') };
}

/**
 * The parameters that DingTalk wants in the URL of a robot with a secret: the secret is the key, time and secret are
 * the text (https://open.dingtalk.com/document/robots/customize-robot-security-settings).
 */
export function dingtalkParameters(secret: string, nowMs: number): { timestamp: string; sign: string } {
  const timestamp = String(nowMs);
  return { timestamp, sign: hmacOf(secret, `${timestamp}\n${secret}`) };
}
