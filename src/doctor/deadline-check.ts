import type { InstanceViews } from '../health/instance-view.js';
import type { CatalogueSnapshot } from '../registry/catalogue.js';
import { capabilityKey } from '../wire/capability-key.js';
import type { DoctorCheck, Found } from './doctor.js';

/** A deadline under this multiple of the usual latency is missed by many calls. */
const TOO_TIGHT = 1.2;
/** A deadline over this multiple lets a call that hangs wait for long. */
const TOO_WIDE = 100;
/** A shorter deadline is never too wide, in ms. */
const SHORT_MS = 10_000;

interface Sources {
  readonly catalogue: () => CatalogueSnapshot;
  readonly instances: InstanceViews;
}

/** Declared deadlines that are far from how long the agent's answers take, over all its capabilities. */
export function farDeadlines({ catalogue, instances }: Sources): DoctorCheck {
  return {
    name: 'far_deadlines',
    examine() {
      return [...catalogue().agents.values()].flatMap(({ manifest: { agentName, capabilities } }) => {
        const latencies = instances.instancesOf(agentName).flatMap(({ latencyMs }) => latencyMs ?? []);
        if (latencies.length === 0) return [];
        const slowest = Math.max(...latencies);
        return capabilities.flatMap(({ id, deadlineMs }) => {
          const found = deadlineMs === undefined ? undefined : judge(deadlineMs, slowest);
          return found === undefined ? [] : [{ ...found, subject: capabilityKey(agentName, id) }];
        });
      });
    },
  };
}

function judge(deadlineMs: number, latencyMs: number): Omit<Found, 'subject'> | undefined {
  const measured = `answers take ${Math.round(latencyMs)} ms where they are slowest`;
  const sentence = `The deadline is ${deadlineMs} ms, and ${measured}.`;
  if (deadlineMs < TOO_TIGHT * latencyMs) {
    return { severity: 'warning', sentence, advice: 'Raise deadline_ms, or make the agent faster.' };
  }
  if (deadlineMs > SHORT_MS && deadlineMs > TOO_WIDE * latencyMs) {
    return {
      severity: 'note',
      sentence,
      advice: 'Lower deadline_ms, so that a call that hangs fails sooner.',
    };
  }
  return undefined;
}
