import { capabilityKey } from '../wire/capability-key.js';
import { LIMITS } from '../wire/limits.js';
import type { Decision } from '../wire/route.js';
import type { Topic } from './conversation.js';
import type { Ranked } from './groups.js';
import type { Ask, Search } from './read-request.js';

/** What is longer than this many characters says itself what it wants. */
const MOST_CHARS = 60;

const POLITE_ENGLISH = String.raw`(?:(?:ok|okay|yes|no|sure|great|thanks)[,.!]?\s+)?`;
/** A question or a wish of its own: "and where is my order", unlike "and for last month". */
const OWN_CLAUSE =
  '(?:what(?! about)|how(?! about)|who|where|when|why|which|is|are|was|were|do|does|did|can|could|will|would|should|please|i|we|you)';
const ENGLISH = new RegExp(
  [
    `^${POLITE_ENGLISH}(?:`,
    String.raw`(?:and|or|but)\b(?!\s+${OWN_CLAUSE}\b)`,
    String.raw`|(?:what about|how about|same|likewise|only|not)\b`,
    String.raw`|now (?:for|to|in|on|at|with|from|the)\b)`,
    String.raw`|\b(?:instead|too|as well|maybe)[\s?.!]*$`,
  ].join(''),
  'iu',
);
const CHINESE =
  /^(?:(?:好的?|嗯|对|行)[,，。]?\s*)?(?:还有|或者|另外|其他|其它|同样|只|仅|换|改)|呢[\s?？。!！]*$/u;
const CHINESE_QUESTION = /什么|怎么|怎样|如何|为何|哪|谁|多少|几|吗/u;

/**
 * Whether an intent is a piece of what was said before: "and for last month?", "那上个月的呢？". Told by the words that
 * hold on to it, in English and Chinese. Meaning cannot tell: behind a clear intent nearly everything is near to it.
 */
export function leansOnTopic(intent: string): boolean {
  if (intent.length > MOST_CHARS) return false;
  return ENGLISH.test(intent) || (CHINESE.test(intent) && !CHINESE_QUESTION.test(intent));
}

/**
 * What to ask in place of an intent that leans on the topic; undefined where it does not, or where nothing had to be
 * guessed: a named target, a declared example, a rule.
 */
export function followUpOf(
  ask: Ask,
  { confidence }: Pick<Decision, 'confidence'>,
  topic: Topic,
): Search | undefined {
  if (ask.kind !== 'find' || confidence >= 1 || !leansOnTopic(ask.intent)) return undefined;
  const intent = `${topic.intent}\n${ask.intent}`;
  return intent.length > LIMITS.intentChars ? undefined : { ...ask, intent };
}

/** One look at the catalogue: what was found, and what was decided on it. */
interface Look {
  readonly found: Ranked;
  readonly verdict: Pick<Decision, 'confidence' | 'threshold'>;
}

/** Whether topic and intent together are surely for the capability of the topic, and surer than the intent alone is of any. */
export function isResumed(together: Look, alone: Look, { agentName, capabilityId }: Topic): boolean {
  const { confidence, threshold } = together.verdict;
  const key = capabilityKey(agentName, capabilityId);
  const members = together.found.groups[0]?.members ?? [];
  const isSure = confidence >= threshold && confidence > alone.verdict.confidence;
  return isSure && members.some(({ indexed }) => indexed.key === key);
}
