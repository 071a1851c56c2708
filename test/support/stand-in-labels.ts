import { ReachError } from '../../src/errors.js';
import type { LabelCalls } from '../../src/facade/label-calls.js';
import type { Label } from '../../src/wire/labels.js';

const label: Label = {
  labelId: 'lb_1',
  at: '2026-01-02T03:04:05.678Z',
  source: 'clarify',
  intent: '周报',
  lang: 'zh',
  payloadFields: { week_no: 'integer' },
  expected: ['report-agent/weekly-summary'],
  routeId: 'rt_1',
};

/** Always the same label is kept, whatever is added. */
export function standInLabels(): LabelCalls {
  const { routeId: _, ...told } = label;
  return {
    async *labels({ source = label.source } = {}) {
      if (source === label.source) yield label;
    },
    addLabels: async ({ labels }) => ({ labelIds: labels.map(() => label.labelId), added: labels.length }),
    async removeLabel(labelId) {
      if (labelId !== label.labelId) throw new ReachError('LABEL_UNKNOWN', `No label ${labelId}.`);
      return { labelId };
    },
    reviewLabels: async () => ({
      labels: 1,
      contradictions: [{ count: 12, labels: [told] }],
      nearDuplicates: null,
      gone: [{ capability: 'old-agent/x', count: 1, labels: [told] }],
      leftOut: { contradictions: 3, nearDuplicates: 0, gone: 0 },
    }),
  };
}
