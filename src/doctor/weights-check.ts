import { asReachError } from '../errors.js';
import { isCalibrated, type Weights } from '../routing/weights.js';
import type { Misfit } from '../tuning/weights-in-force.js';
import type { DoctorCheck, Found } from './doctor.js';

interface Sources {
  readonly inForce: { readonly current: Weights; readonly misfits: readonly Misfit[] };
  /** What the configuration named at the start. */
  readonly configured: Weights;
  /** What the next start would read. @throws ReachError MODEL_INVALID where they are broken or of another model */
  readonly onDisk: () => Promise<Weights>;
}

/** Weights that do not belong to the model, or that will not be there at the next start. */
export function foreignWeights({ inForce, configured, onDisk }: Sources): DoctorCheck {
  return {
    name: 'foreign_weights',
    async examine() {
      const found: Found[] = inForce.misfits.map(({ weightsVersion, sentence }) => ({
        severity: 'warning',
        subject: weightsVersion,
        sentence,
        advice:
          'Tune again with these models, or take them back: agent-reach tune rollback, tune shadow --off.',
      }));
      if (!isCalibrated(inForce.current)) {
        found.push({
          severity: 'warning',
          subject: inForce.current.version,
          sentence: 'The model has no weights of its own: nobody has measured what the confidence means.',
          advice: 'Name weights that were learned for this model (REACH_WEIGHTS).',
        });
      }
      try {
        const { version } = await onDisk();
        if (version !== configured.version) {
          found.push({
            severity: 'note',
            subject: version,
            sentence: `The weights ${configured.version} were read at the start, and ${version} lie on the disk.`,
            advice: 'Restart to use them.',
          });
        }
      } catch (thrown) {
        const { message } = asReachError(thrown);
        const advice = 'Put back the weights of this model: the next start would be refused.';
        found.push({ severity: 'error', subject: configured.version, sentence: message, advice });
      }
      return found;
    },
  };
}
