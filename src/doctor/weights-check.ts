import { asReachError } from '../errors.js';
import { isCalibrated, type Weights } from '../routing/weights.js';
import type { DoctorCheck, Found } from './doctor.js';

interface Sources {
  /** Those that serve. */
  readonly serving: Weights;
  /** Those that the next start would read. @throws ReachError MODEL_INVALID where they are broken or of another model */
  readonly onDisk: () => Promise<Weights>;
}

/** Weights that do not belong to the model, or that will not be there at the next start. */
export function foreignWeights({ serving, onDisk }: Sources): DoctorCheck {
  return {
    name: 'foreign_weights',
    async examine() {
      const found: Found[] = [];
      if (!isCalibrated(serving)) {
        found.push({
          severity: 'warning',
          subject: serving.version,
          sentence: 'The model has no weights of its own: nobody has measured what the confidence means.',
          advice: 'Name weights that were learned for this model (REACH_WEIGHTS).',
        });
      }
      try {
        const { version } = await onDisk();
        if (version !== serving.version) {
          found.push({
            severity: 'note',
            subject: version,
            sentence: `The weights ${serving.version} serve, and ${version} lie on the disk.`,
            advice: 'Restart to use them.',
          });
        }
      } catch (thrown) {
        const { message } = asReachError(thrown);
        const advice = 'Put back the weights of this model: the next start would be refused.';
        found.push({ severity: 'error', subject: serving.version, sentence: message, advice });
      }
      return found;
    },
  };
}
