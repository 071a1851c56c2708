import { seededRandom } from '../../src/evaluation/seeded-random.js';
import type { ManifestDocument } from '../../src/manifest/schema.js';

const VERBS = [
  'list',
  'create',
  'cancel',
  'translate',
  'summarise',
  'export',
  'compare',
  'approve',
  '查询',
  '汇总',
];
const OBJECTS = [
  'invoice',
  'holiday',
  'order',
  'contract',
  'meeting',
  'ticket',
  'shipment',
  '工资单',
  '报表',
  '库存',
];
const PLACES = ['of the north', 'of the south', 'by month', 'by customer', 'for the board'];
const SYLLABLES = 'ka lo mi ru ne sa to vi du pe'.split(' ');
const SYLLABLES_A_NAME = 4;

/**
 * As many different capabilities as asked for, ten an agent unless told otherwise, with texts as teams write
 * them: sentences of few words that many share. Every 500 are of a company of their own, by whose name their texts
 * differ. For what a real model may embed.
 */
export function templatedManifests(capabilities: number, agentSize = 10): readonly ManifestDocument[] {
  const companies = companyNames(Math.ceil(capabilities / (VERBS.length * OBJECTS.length * PLACES.length)));
  const all = companies
    .flatMap((company) =>
      VERBS.flatMap((verb) =>
        OBJECTS.flatMap((object) => PLACES.map((place) => capability(verb, object, `${place}${company}`))),
      ),
    )
    .slice(0, capabilities);
  return Array.from({ length: Math.ceil(all.length / agentSize) }, (_, index) => ({
    agent_name: `bench-agent-${index}`,
    manifest_version: 1,
    capabilities: all.slice(index * agentSize, (index + 1) * agentSize),
  }));
}

/** What stands behind the place: nothing for the first company, then a made-up name each, all different. */
function companyNames(count: number): string[] {
  const random = seededRandom(1);
  const syllable = () => SYLLABLES[Math.floor(random() * SYLLABLES.length)] ?? '';
  const names = new Set(['']);
  while (names.size < count) names.add(` at ${Array.from({ length: SYLLABLES_A_NAME }, syllable).join('')}`);
  return [...names];
}

function capability(verb: string, object: string, place: string): ManifestDocument['capabilities'][number] {
  return {
    id: `${verb}-${object}-${place.replaceAll(' ', '-')}`,
    name: `${verb} ${object} ${place}`,
    description: `Lets people ${verb} each ${object} ${place}, with its history and the people in charge.`,
    examples: [`please ${verb} the ${object} ${place}`, `I need to ${verb} a ${object}`],
    input_schema: {
      type: 'object',
      properties: { [object]: { type: 'string' }, since: { type: 'string' }, limit: { type: 'integer' } },
      required: [object],
    },
  };
}
