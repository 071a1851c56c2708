import { expect, onTestFinished, test } from 'vitest';
import { createReach } from '../../src/app.js';
import { pointerStep } from '../../src/wire/json-pointer.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const ODD_IDS = [
  `quotes "double" 'single' \`back\``,
  '{braces} [brackets] <angles>',
  'a|b*c?d+e^f$',
  'slash/and\\backslash',
  '%2e%2e/../..',
  "'; DROP TABLE manifests; --",
  '📈🧑‍🚀',
  '生成周报摘要',
  'right\u200fto\u202eleft',
  '__proto__',
  'constructor',
];

test('a capability is found under any id, by its name and by its words, and after a restart', async () => {
  const data = await temporaryFolder();
  const instances = [{ instance_id: 'p1', address: 'http://127.0.0.1:9' }];
  const capabilities = ODD_IDS.map((id, index) => ({
    id,
    name: `Paints house number ${index}`,
    examples: [`please paint the house ${index}`],
    input_schema: { type: 'object', required: [id] },
  }));
  for (const start of ['first', 'second']) {
    const reach = await createReach({ data, logLevel: 'silent', probes: false });
    onTestFinished(() => reach.close());
    if (start === 'first') {
      await reach.publish({ agent_name: 'painter', manifest_version: 1, capabilities, instances });
    }
    for (const [index, id] of ODD_IDS.entries()) {
      const byName = await reach.route({ capabilityId: `painter/${id}`, threshold: 0 });
      expect(byName).toMatchObject({ targetAgent: 'painter', capabilityId: id });
      const byWords = await reach.route({ intent: `please paint the house ${index}`, threshold: 0 });
      expect(byWords).toMatchObject({ targetAgent: 'painter', capabilityId: id });
      expect(byWords.missingFields).toEqual([pointerStep(id)]);
    }
    await reach.close();
  }
});
