import { expect, onTestFinished, test } from 'vitest';
import { createReach } from '../../src/app.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const TOPICS = ['invoice', 'holiday', 'server', 'parcel', 'contract', 'printer', 'flight', 'salary'];
const intentsOf = (topic: string) =>
  Array.from({ length: 25 }, (_, index) => `tell me about the ${topic} number ${index}`);

const agent = (topic: string, version: number, examples: readonly string[]) => ({
  agent_name: `${topic}-agent`,
  manifest_version: version,
  capabilities: [
    { id: topic, name: `Tells about a ${topic}`, examples: [`what about the ${topic}`, ...examples] },
  ],
  instances: [{ instance_id: 'a', address: 'http://127.0.0.1:9' }],
});

test('two dry runs over 10,000 recorded decisions at once change no live answer, and tell only of their own', {
  timeout: 240_000,
}, async () => {
  const data = await temporaryFolder();
  const reach = await createReach({ manifests: null, data, logLevel: 'silent', probes: false });
  onTestFinished(() => reach.close());
  for (const topic of TOPICS) await reach.publish(agent(topic, 1, []));
  const intents = TOPICS.flatMap(intentsOf);
  const targetOf = async (intent: string) => {
    const { outcome, targetAgent, catalogueVersion } = await reach.route(intent);
    return { outcome, targetAgent, catalogueVersion };
  };
  const before = new Map<string, object>();
  for (let index = 0; index < 10_000; index += 1) {
    const intent = intents[index % intents.length] ?? '';
    before.set(intent, await targetOf(intent));
  }

  let over = false;
  const stolen = [intentsOf('server').slice(0, 10), intentsOf('flight').slice(0, 10)] as const;
  const both = Promise.all([
    reach.preview(agent('parcel', 2, stolen[0])),
    reach.preview(agent('salary', 2, stolen[1])),
  ]).finally(() => {
    over = true;
  });
  await expect(reach.preview(agent('printer', 2, []))).rejects.toMatchObject({ code: 'OVERLOADED' });
  let live = 0;
  while (!over) {
    const intent = intents[(live * 7) % intents.length] ?? '';
    expect(await targetOf(intent)).toEqual(before.get(intent));
    live += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(live).toBeGreaterThan(10);

  const answers = await both;
  for (const [place, { wouldChange }] of answers.entries()) {
    expect(wouldChange).toMatchObject({ asked: intents.length, leftOut: 0 });
    const thief = place === 0 ? 'parcel-agent' : 'salary-agent';
    const taken = wouldChange.changed.filter(({ after }) => after.targetAgent === thief);
    expect(taken.map(({ intent }) => intent)).toEqual(expect.arrayContaining([...(stolen[place] ?? [])]));
    for (const { times } of taken) expect(times).toBeGreaterThan(1);
  }
});
