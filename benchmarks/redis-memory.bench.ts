import type { Bench, Figure } from './support/figure.js';
import { KEPT_KINDS } from './support/kept-kinds.js';
import { keptMemory } from './support/kept-memory.js';
import { REQUEST_KINDS } from './support/request-kinds.js';

export const bench: Bench = {
  name: 'redis-memory',
  title:
    'What one of each kind takes of the memory of Redis, keys and orders included. The ceiling: its JSON text alone.',
  async run() {
    const figures: Figure[] = [];
    for (const kind of [...KEPT_KINDS, ...REQUEST_KINDS]) {
      const { memory, json } = await keptMemory(kind);
      const shown = { unit: 'bytes', better: 'lower', goal: null } as const;
      figures.push({ name: kind.name, value: memory, ...shown, ceiling: json });
    }
    return figures;
  },
};
