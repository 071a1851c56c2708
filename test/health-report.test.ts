import { describe, expect, test } from 'vitest';
import type { Embedder, EmbedderStatus } from '../src/embedding/embedder.js';
import { embeddingReport, statusOf } from '../src/health-report.js';
import type { PartState } from '../src/wire/health.js';

function embedder(name: string, status: Partial<EmbedderStatus> = {}): Embedder {
  const model = { name, hash: name, dim: 1 };
  return {
    model,
    embed: async () => [],
    status: () => ({ state: 'ready', model, restarts: 0, pending: 0, ...status }),
    close: async () => {},
  };
}

describe('the report on the models', () => {
  test('is that of the only one', () => {
    const main = embedder('m', { state: 'restarting', restarts: 2, pending: 3 });
    expect(embeddingReport({ main, english: undefined })).toEqual({
      state: 'degraded',
      detail: 'm is restarting.',
      model: 'm',
      restarts: 2,
      pending: 3,
    });
  });

  test.each([
    ['ready', 'ready', 'ok'],
    ['ready', 'restarting', 'degraded'],
    ['restarting', 'starting', 'starting'],
    ['starting', 'closed', 'failed'],
  ] as const)('of one that is %s and one that is %s is %s, with the sums of both', (first, second, state) => {
    const main = embedder('m', { state: first, restarts: 1, pending: 3 });
    const english = embedder('e', { state: second, restarts: 1, pending: 4 });
    expect(embeddingReport({ main, english })).toEqual({
      state,
      detail: `m is ${first}. e is ${second}.`,
      model: 'm',
      restarts: 2,
      pending: 7,
    });
  });
});

describe('the state of the whole', () => {
  const wellBut = (
    states: Partial<Record<'catalogue' | 'embedding' | 'vectorIndex' | 'store', PartState>>,
  ) => {
    const part = (state: PartState = 'ok') => ({ state, detail: '' });
    return statusOf({
      catalogue: { ...part(states.catalogue), version: 1, agents: 1, capabilities: 1 },
      embedding: { ...part(states.embedding), model: 'm', restarts: 0, pending: 0 },
      vectorIndex: { ...part(states.vectorIndex), kind: 'exact', vectors: 2, building: false },
      store: part(states.store),
      manifests: part(),
      rules: part(),
      reachability: part(),
      replicas: { ...part(), living: 1, replicaId: 'host/1' },
      records: { ...part(), waiting: 0, lost: 0 },
      tickets: { ...part(), unresolved: 0 },
      outbox: { ...part(), waiting: 0 },
    });
  };

  test('is ok where all is', () => {
    expect(wellBut({})).toBe('ok');
  });

  test('has failed with the models alone: whatever else is not well leaves answers to give', () => {
    expect(wellBut({ embedding: 'failed', catalogue: 'starting' })).toBe('failed');
    expect(wellBut({ store: 'failed' })).toBe('degraded');
  });

  test('is starting while a part is, else degraded with any of them', () => {
    expect(wellBut({ catalogue: 'starting', store: 'degraded' })).toBe('starting');
    expect(wellBut({ embedding: 'starting' })).toBe('starting');
    expect(wellBut({ vectorIndex: 'degraded' })).toBe('degraded');
  });
});
