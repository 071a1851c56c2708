import { describe, expect, it } from 'vitest';
import { comparisonText } from '../../src/cli/comparison-text.js';
import type { Candidate } from '../../src/wire/route.js';
import { decision } from '../support/stand-in-reach.js';

const WEIGHTS = { near: 0.5, far: 0.1, against: -0.2 };

function candidate(capabilityId: string, signals: Record<string, number>): Candidate {
  const [base] = decision.candidates;
  if (base === undefined) throw new Error('the decision has candidates');
  const relevance = Object.entries(WEIGHTS).reduce((sum, [name, w]) => sum + w * (signals[name] ?? 0), 0);
  return { ...base, capabilityId, signals: { ...signals, utility: 1 }, relevance };
}

describe('two candidates side by side', () => {
  it('show each signal with its weight, its share and its lead, whatever the signals are called', () => {
    const ahead = candidate('x', { near: 0.8, far: 1, against: 0.5 });
    const behind = candidate('y', { near: 0.7, far: 0.2 });
    expect(comparisonText(ahead, behind, WEIGHTS)).toBe(
      [
        'best  report-agent/x',
        'other report-agent/y',
        'signal     weight   best  share  other  share    lead',
        'far         0.100  1.000   25 %  0.200    5 %  +0.080',
        'near        0.500  0.800  100 %  0.700   95 %  +0.050',
        'against    -0.200  0.500  -25 %  0.000    0 %  -0.100',
        'relevance          0.400         0.370         +0.030',
        'The other would be level with near 0.760 in place of 0.700, or far 0.500 in place of 0.200.',
        '',
      ].join('\n'),
    );
  });

  it('name the signals that neither has, and ask nothing of them', () => {
    const text = comparisonText(candidate('x', { near: 0.8 }), candidate('y', { near: 0.75 }), WEIGHTS);
    expect(text.split('\n').slice(3)).toEqual([
      expect.stringMatching(/^near /),
      expect.stringMatching(/^relevance /),
      '0 in both: far, against',
      'The other would be level with near 0.800 in place of 0.750.',
      '',
    ]);
  });

  it('say that less of what counts against the other, or more than 1 of what goes further, would have done', () => {
    const burdened = candidate('y', { near: 0.8, against: 0.9 });
    expect(comparisonText(candidate('x', { near: 0.8 }), burdened, WEIGHTS)).toMatch(
      /The other would be level with against 0\.000 in place of 0\.900\.\n$/,
    );
    const ahead = candidate('x', { near: 0.8, far: 3 });
    expect(comparisonText(ahead, candidate('y', { near: 0.9 }), WEIGHTS)).toMatch(
      /The other would be level with far 2\.500 in place of 0\.000\.\n$/,
    );
  });

  it('say which signals together would have done where none would alone', () => {
    const ahead = candidate('x', { near: 1, far: 1 });
    const behind = candidate('y', { near: 0.6, far: 0.1 });
    expect(comparisonText(ahead, behind, WEIGHTS)).toMatch(
      /No signal alone would make the other level; near, far as high as those of the best would\.\n$/,
    );
  });

  it('say why another was taken where it is not behind', () => {
    const behind = {
      ...candidate('y', { near: 1 }),
      excludedBy: 'another capability declares this very intent',
    };
    expect(comparisonText(candidate('x', { near: 0.5 }), behind, WEIGHTS)).toMatch(
      /another capability declares this very intent\n$/,
    );
  });
});
