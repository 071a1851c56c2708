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

interface SyntheticCapability {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly examples: readonly string[];
  readonly input_schema: object;
}

interface SyntheticManifest {
  readonly agent_name: string;
  readonly manifest_version: number;
  readonly capabilities: readonly SyntheticCapability[];
}

/** As many different capabilities as asked for, at most 500, ten an agent, with texts as teams write them. */
export function syntheticManifests(capabilities: number): readonly SyntheticManifest[] {
  const all = VERBS.flatMap((verb) =>
    OBJECTS.flatMap((object) => PLACES.map((place) => capability(verb, object, place))),
  ).slice(0, capabilities);
  return Array.from({ length: Math.ceil(all.length / 10) }, (_, index) => ({
    agent_name: `bench-agent-${index}`,
    manifest_version: 1,
    capabilities: all.slice(index * 10, index * 10 + 10),
  }));
}

function capability(verb: string, object: string, place: string): SyntheticCapability {
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
