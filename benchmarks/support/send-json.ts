/** Sends a body as JSON and gives the answer. @throws Error where it is not a success */
export async function sendJson(
  method: 'PUT' | 'POST',
  url: string,
  body: unknown,
): Promise<Record<string, unknown>> {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url} was answered ${answer.status}: ${text}`);
  return JSON.parse(text);
}
