import { describe, expect, it } from 'vitest';
import { judgeNodeLoss } from '../../benchmarks/support/node-loss-judge.js';
import { endedRequest, execution } from './seen-requests.js';

describe('the judge of a node that was lost', () => {
  const lossOf = (
    capability: 'read' | 'write',
    states: Parameters<typeof endedRequest>[0],
    { code, way = 'plain', times = 1 }: { code?: string; way?: string; times?: number } = {},
  ) => {
    const { wronglyEnded, repeated } = judgeNodeLoss(
      [
        {
          request: { capability_id: capability, payload: { way } },
          seen: endedRequest(states, code === undefined ? {} : { code }),
          executions: Array.from({ length: times }, () => execution({ capabilityId: capability })),
        },
      ],
      1,
    );
    return [...wronglyEnded, ...repeated].join();
  };
  const NODE_LOST = { code: 'NODE_LOST' };

  it('has nothing to say of what ended as it may', () => {
    expect(lossOf('read', ['queued', 'routing', 'delivered', 'completed'])).toBe('');
    expect(lossOf('read', ['routing', 'delivered', 'delivered', 'completed'], { times: 2 })).toBe('');
    expect(lossOf('write', ['routing', 'delivered', 'failed'], NODE_LOST)).toBe('');
  });

  it.each([
    ['a failure that a repetition would have mended', 'read', ['routing', 'delivered', 'failed'], NODE_LOST],
    ['a loss of what was never delivered', 'write', ['queued', 'failed'], NODE_LOST],
    ['another end', 'write', ['routing', 'delivered', 'failed'], { code: 'AGENT_FAILED' }],
    [
      'a loss of what is answered later',
      'write',
      ['routing', 'delivered', 'acknowledged', 'failed'],
      { ...NODE_LOST, way: 'later' },
    ],
    [
      'a repetition that is not allowed',
      'write',
      ['routing', 'delivered', 'delivered', 'completed'],
      { times: 2 },
    ],
    ['a repetition that is not told', 'read', ['routing', 'delivered', 'completed'], { times: 2 }],
  ] as const)('finds %s', (_, capability, states, what) => {
    expect(lossOf(capability, states, what)).not.toBe('');
  });
});
