import type { AgentProgram, AgentTask, TaskAnswer } from '../agent-program.js';
import { LANGUAGES, languageOf } from '../asker-language.js';
import data from '../data/questions.json' with { type: 'json' };
import { oneOf, optional, readPayload, refusal, text } from '../payload-reader.js';
import { rounded } from '../rows.js';
import { QuestionIndex } from './question-matching.js';

/** Below it more of what was asked is strange to the known question than is shared. */
const SURE_ENOUGH = 0.5;

const HANDOFF_REPLY = {
  zh: '抱歉,这个问题我答不上来,已为您转接同事,请稍候。',
  en: 'I am sorry, I do not know the answer to that. A colleague will take over in a moment.',
} as const;

const WORDS = {
  zh: new Intl.Segmenter('zh', { granularity: 'word' }),
  en: new Intl.Segmenter('en', { granularity: 'word' }),
} as const;

const KNOWN = data.flatMap(({ questions, answer }) => questions.map((question) => ({ question, answer })));
const INDEX = new QuestionIndex(KNOWN.map(({ question }) => question));

/**
 * Answers known questions from a file, word by word, and asks for a person where it knows none: the fallback of
 * the company.
 */
export const chatAgent: AgentProgram = new Map([
  ['company-questions', answerQuestion],
  ['small-talk', answerQuestion],
]);

function answerQuestion({ intent, payload, delta }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, { question: optional(text), language: optional(oneOf(LANGUAGES)) });
  const question = fields.question ?? intent;
  if (question.trim() === '') throw refusal('/question', 'a question', fields.question);
  const language = fields.language ?? languageOf(question);
  const match = INDEX.best(question);
  const known = match !== undefined && match.score >= SURE_ENOUGH ? KNOWN[match.index] : undefined;
  const score = rounded(match?.score ?? 0);
  if (known === undefined) {
    return {
      result: { answered: false, match: score },
      reply: HANDOFF_REPLY[language],
      needHumanHandoff: true,
    };
  }
  const reply = known.answer[language];
  for (const { segment } of WORDS[language].segment(reply)) delta(segment);
  return { result: { answered: true, question: known.question, match: score }, reply };
}
