import type { Manifest } from '../manifest/schema.js';
import type { Overlap } from '../wire/agents.js';
import { capabilityKey } from '../wire/capability-key.js';
import type { Comparison } from './against.js';
import { printable } from './printable.js';

function overlapLines({ capability, other, sentence, closestExamples, tellingWords }: Overlap): string[] {
  const words = (list: readonly string[]) => (list.length === 0 ? 'no word' : list.join(', '));
  const closest = closestExamples && [
    `  closest examples: "${closestExamples.own}" and "${closestExamples.other}", cosine ${closestExamples.similarity.toFixed(2)}`,
  ];
  return [
    `warning: ${capability} overlaps with ${other}`,
    `  ${sentence}`,
    ...(closest ?? []),
    `  only in ${capability}: ${words(tellingWords.own)}`,
    `  only in ${other}: ${words(tellingWords.other)}`,
  ];
}

/** The overlaps that were found, for a person. Ends with a newline. */
export function overlapsText({ agents, overlaps }: Comparison, against: string): string {
  const whom = `the ${agents === 1 ? 'agent' : `${agents} agents`} of ${against}`;
  const count =
    overlaps.length === 1 ? '1 overlap' : `${overlaps.length === 0 ? 'no' : overlaps.length} overlaps`;
  const lines = [...overlaps.flatMap(overlapLines), `${count} with ${whom}`];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

/** What the examples of a manifest are too few to tell, a sentence each. */
export function fewExamplesNotes({ agentName, capabilities }: Manifest): string[] {
  return capabilities.flatMap(({ id, examples }) => {
    const key = capabilityKey(agentName, id);
    if (examples.length === 0)
      return `${key} has no examples: only whether it takes those of others could be measured`;
    if (examples.length === 1)
      return `${key} has one example: left out, only its description could find it; two or more tell more`;
    return [];
  });
}
