import type { CatalogueSnapshot } from '../registry/catalogue.js';
import type { Rule } from '../rules/rule.js';
import { missingNames } from '../rules/rule-names.js';
import type { DoctorCheck } from './doctor.js';

interface Sources {
  readonly catalogue: () => CatalogueSnapshot;
  readonly rules: () => readonly Rule[];
}

/** Rules that name an agent or a capability which is not there. */
export function rulesWithMissingNames({ catalogue, rules }: Sources): DoctorCheck {
  return {
    name: 'rules_with_missing_names',
    examine() {
      return missingNames(rules(), catalogue()).map(({ ruleId, field, name, sentence }) => ({
        severity: 'warning',
        subject: ruleId,
        sentence,
        advice: `Publish ${name}, or correct ${field} of the rule.`,
      }));
    },
  };
}
