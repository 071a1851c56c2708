import { describe, expect, it } from 'vitest';
import { worstText } from '../../src/cli/worst-text.js';
import { CapabilityNames } from '../../src/evaluation/capability-names.js';
import type { JudgedQuery } from '../../src/evaluation/judge.js';
import { manifestOf } from '../support/candidates.js';
import { decision } from '../support/stand-in-reach.js';

const names = new CapabilityNames([
  manifestOf('report-agent', [{ id: 'weekly-summary' }, { id: 'monthly-summary' }]),
  manifestOf('sheet-agent', [{ id: '表格转换' }]),
]);

function textOf(expected: readonly string[], confidence: number, right = false): string {
  const judged: JudgedQuery = {
    query: { line: 12, intent: 'sum\u001b[31m up\nmy week', payload: null, expected, lang: 'en' },
    predicted: 'weekly-summary',
    decision,
    mark: {
      inScope: expected.length > 0,
      right,
      rightInFive: right,
      confidence,
      lang: 'en',
      latencyMs: 1,
    },
  };
  return worstText({ judged, decision: { ...decision, signalWeights: { lexical: 1 } } }, names, 3);
}

describe('one of the worst answers', () => {
  it('is shown with its line, its label and the right one beside the best', () => {
    const text = textOf(['表格转换'], 0.91);
    expect(text).toMatch(
      /^3\. line 12 \(en\), wrong with a confidence of 0\.91: sum\\u001b\[31m up\\u000amy week\n/,
    );
    expect(text).toContain('expected 表格转换, found weekly-summary\n');
    expect(text).toContain('other sheet-agent/表格转换\n');
  });

  it('says where no expected one was a candidate', () => {
    expect(textOf(['monthly-summary'], 0.91)).toMatch(/None of the 2 candidates is expected/);
  });

  it('stands beside the next one where it is right', () => {
    expect(textOf(['weekly-summary'], 0.1, true)).toMatch(/ right with .*\n.*\nbest .*\nother sheet-agent/);
  });

  it('says what would have been right where nothing fits', () => {
    expect(textOf([], 0.91)).toMatch(/\nNothing fits: a confidence under 0\.75 would have been right\.\n$/);
    expect(textOf([], 0.3)).toMatch(
      /\nNothing fits, and nobody was called: the confidence is under 0\.75\.\n$/,
    );
  });
});
