import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Reach } from '../src/app.js';
import type { RulesDocument } from '../src/rules/rule.js';
import { createReach } from './support/built-app.js';
import type { Bench, Figure } from './support/figure.js';
import { freshTexts } from './support/fresh-texts.js';
import { interleave } from './support/interleave.js';
import { templatedManifests } from './support/templated-manifests.js';
import { withTemporaryFolder } from './support/temporary-folder.js';

type Rule = RulesDocument['rules'][number];

const CAPABILITIES = 100;
const RULES = 1_000;
const INTENTS = 50;
const ROUNDS = 3_000;

const manifests = templatedManifests(CAPABILITIES);
const intents = freshTexts(INTENTS);
const agents = manifests.map(({ agent_name }) => agent_name);
const agentOf = (place: number) => agents[place % agents.length] ?? '';
const firstOf = (place: number) => {
  const { agent_name, capabilities } = manifests[place % manifests.length] ?? { capabilities: [] };
  return `${agent_name}/${capabilities[0]?.id}`;
};

/** A thousand rules of a kind, of which none chooses anybody: the decisions are those without rules. */
const KINDS: Readonly<Record<string, (place: number) => Omit<Rule, 'id'>>> = {
  'whose words are not in the intent': (place) => ({
    when: { intent: `refund number ${place}` },
    target: firstOf(place),
  }),
  'whose target is gone': (place) => ({ when: { intent: 'report' }, target: `gone-${place}/x` }),
  'that set a time for an agent each': (place) => ({ when: { agent: agentOf(place) }, timeout_ms: 5_000 }),
};

async function opened(routes: string | null): Promise<Reach> {
  const reach = await createReach({ routes, englishModel: false });
  for (const manifest of manifests) await reach.publish(manifest);
  for (const intent of intents) await reach.route(intent);
  return reach;
}

async function compared(bare: Reach, kind: (place: number) => Omit<Rule, 'id'>, folder: string) {
  const rules = Array.from({ length: RULES }, (_, place) => ({ id: `rule-${place}`, ...kind(place) }));
  const routes = join(folder, 'routes.json');
  await writeFile(routes, JSON.stringify({ rules }));
  const measured = await opened(routes);
  const route = (reach: Reach) => (round: number) => reach.route(intents[round % INTENTS] ?? '');
  try {
    await interleave({ bare: route(bare), measured: route(measured) }, ROUNDS);
    return await interleave({ bare: route(bare), measured: route(measured) }, ROUNDS);
  } finally {
    await measured.close();
  }
}

export const bench: Bench = {
  name: 'rules',
  title: `What ${RULES} rules add to route() on intents whose candidates are known, ${CAPABILITIES} capabilities.`,
  run: () =>
    withTemporaryFolder(async (folder) => {
      const bare = await opened(null);
      try {
        const figures: Figure[] = [];
        for (const [name, kind] of Object.entries(KINDS)) {
          const { bare: without, measured } = await compared(bare, kind, folder);
          const ms = { unit: 'ms', better: 'lower' } as const;
          figures.push(
            { name: `${name}: added at p50`, value: measured.p50 - without.p50, goal: 0.2, ...ms },
            { name: `${name}: route, p99`, value: measured.p99, goal: null, ceiling: without.p99, ...ms },
          );
        }
        return figures;
      } finally {
        await bare.close();
      }
    }),
};
