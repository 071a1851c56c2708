import type { Evaluation } from './evaluation-report.js';
import { wilsonInterval } from './interval.js';
import { NO_LANGUAGE } from './labelled-query.js';
import type { QuerySurvey } from './query-survey.js';

/** With fewer queries, or fewer that are out of scope, a figure is little more than a guess. */
const FEW_QUERIES = 100;
const FEW_OUT_OF_SCOPE = 30;

const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`;
const queries = (number: number) => count(number, 'query', 'queries');
const twoDigits = (value: number) => value.toFixed(2);

function onSize({ report, noise }: Evaluation): string[] {
  if (report.queries >= FEW_QUERIES) return [];
  const interval = report.top1 === null ? undefined : wilsonInterval(report.top1, report.in_scope);
  const top1 = interval
    ? ` top1 may as well be ${twoDigits(interval.low)} or ${twoDigits(interval.high)};`
    : '';
  const ece = noise
    ? ` the calibration error of a perfect router would lie between ${twoDigits(noise.low)} and ${twoDigits(noise.high)}.`
    : '';
  return [`${queries(report.queries)} are few: read intervals, not figures.${top1}${ece}`];
}

function onScope({ report }: Evaluation): string[] {
  if (report.out_of_scope === 0) {
    return [
      'No query is out of scope (an empty `expected`): how well it abstains where nothing fits (oos_auroc, oos_rejected) cannot be told, and precision is that of a world in which something always fits.',
    ];
  }
  if (report.in_scope === 0) {
    return [
      'Every query is out of scope: whether the right capability is found (top1, top5, oos_auroc) cannot be told.',
    ];
  }
  if (report.out_of_scope < FEW_OUT_OF_SCOPE) {
    return [`Only ${queries(report.out_of_scope)} out of scope: oos_auroc and oos_rejected are rough.`];
  }
  return [];
}

function onThreshold({ report: { at_threshold: at } }: Evaluation): string[] {
  return at.precision === null ? [`No confidence reaches ${at.threshold}: precision cannot be told.`] : [];
}

function onLanguages({ langs }: QuerySurvey): string[] {
  const unnamed = langs.get(NO_LANGUAGE);
  const [only, second] = langs.keys();
  const other =
    only !== undefined && only !== NO_LANGUAGE && second === undefined
      ? [`Every query is in one language (${only}): nothing can be concluded about others.`]
      : [];
  return unnamed === undefined
    ? other
    : [...other, `${queries(unnamed)} without \`lang\`, counted as ${NO_LANGUAGE}.`];
}

function onRepetition({ repeated, contradicting, declared }: QuerySurvey): string[] {
  return [
    ...(repeated > 0
      ? [`${queries(repeated)} repeat an earlier one: each counts, so intervals look narrower than they are.`]
      : []),
    ...(contradicting > 0
      ? [`${contradicting} of them expect something else than it: one of the two counts as wrong for sure.`]
      : []),
    ...(declared > 0
      ? [
          `${queries(declared)} word for word an example of a capability: found without understanding anything.`,
        ]
      : []),
  ];
}

function onPayloads({ withPayload }: QuerySurvey, payloadSent: boolean): string[] {
  if (!payloadSent) return ['Payloads were withheld: nothing can be concluded about calls with one.'];
  return withPayload === 0 ? ['No query has a payload: nothing can be concluded about calls with one.'] : [];
}

function onCatalogue({ unasked }: QuerySurvey, { report: { capabilities } }: Evaluation): string[] {
  if (unasked === 0) return [];
  return [`${unasked} of ${capabilities} capabilities are expected by no query: they count as rivals only.`];
}

/** What was left out of the catalogue, so that it could be published. */
export function onPatterns(leftOut: number): string[] {
  if (leftOut === 0) return [];
  return [
    `${count(leftOut, 'pattern', 'patterns')} of the schemas left out, since a publish refuses them as slow or malformed (\`manifest check\` names them).`,
  ];
}

function onFields({ unread }: QuerySurvey): string[] {
  const fields = [...unread].map(([name, line]) => `${name} (line ${line})`);
  return fields.length === 0 ? [] : [`Fields that are not read: ${fields.join(', ')}.`];
}

/** What the figures were measured on, and how. */
export interface Circumstances {
  readonly survey: QuerySurvey;
  readonly payloadSent: boolean;
  /** Patterns of the catalogue that could not be published. */
  readonly leftOut: number;
}

/** What can and cannot be concluded from an evaluation, in sentences; none where nothing stands in the way. */
export function conclusionsOf(
  evaluation: Evaluation,
  { survey, payloadSent, leftOut }: Circumstances,
): string[] {
  return [
    ...onSize(evaluation),
    ...onScope(evaluation),
    ...onThreshold(evaluation),
    ...onLanguages(survey),
    ...onRepetition(survey),
    ...onPayloads(survey, payloadSent),
    ...onCatalogue(survey, evaluation),
    ...onPatterns(leftOut),
    ...onFields(survey),
  ];
}
