import { hasChinese } from '../wire/chinese.js';
import type { DispatchAnswer } from '../wire/dispatch.js';

interface Sentences {
  readonly done: string;
  readonly handedOff: string;
  readonly unreachable: string;
  readonly failed: string;
  readonly which: string;
  readonly lacks: (fields: string) => string;
}

const ENGLISH: Sentences = {
  done: 'It is done.',
  handedOff: 'I am not sure who can do this, so a person will look at it.',
  unreachable: 'Nobody can do this right now. Please try again in a moment.',
  failed: 'This did not work. Please try again, or ask a person.',
  which: 'What do you mean? Answer with a number:',
  lacks: (fields) => `I need more for this: ${fields}.`,
};

const CHINESE: Sentences = {
  done: '已完成。',
  handedOff: '我不确定该由谁处理，会有人来跟进。',
  unreachable: '现在没有人能处理，请稍后再试。',
  failed: '没有办成，请重试或转人工。',
  which: '您指的是哪一项？请回复编号：',
  lacks: (fields) => `还需要这些信息：${fields}。`,
};

/** The sentences in the language of a text. */
export function sentencesFor(text: string): Sentences {
  return hasChinese(text) ? CHINESE : ENGLISH;
}

/**
 * What a person in a chat is told: what the agent says, else its result where that is text, the question where one has
 * to be asked, and otherwise what became of it.
 */
export function chatReply({ state, reply, result, decision, error }: DispatchAnswer, say: Sentences): string {
  if (reply !== undefined) return reply;
  if (typeof result === 'string') return result;
  if (decision?.outcome === 'clarify') {
    const { choices = [], missingFields = [] } = decision;
    if (choices.length === 0) return say.lacks(fieldsText(missingFields));
    return [say.which, ...choices.map(({ name }, place) => `${place + 1}. ${name}`)].join('\n');
  }
  if (error?.code === 'PAYLOAD_INVALID' && error.errors.length > 0)
    return say.lacks(fieldsText(error.errors.map(({ pointer }) => pointer)));
  if (state === 'completed') return say.done;
  if (state === 'handed_off') return say.handedOff;
  return error?.code === 'AGENT_UNREACHABLE' ? say.unreachable : say.failed;
}

/** Pointers into a payload as a person reads them. */
export function fieldsText(pointers: readonly string[]): string {
  return pointers.map((pointer) => pointer.replace(/^\//, '')).join(', ');
}
