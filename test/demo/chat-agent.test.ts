import { describe, expect, test } from 'vitest';
import { chatAgent } from '../../src/demo/agents/chat-agent.js';
import { ask, askToTheEnd, faultsOf } from './ask.js';

const chat = (intent: string) => ask(chatAgent, 'company-questions', null, intent);

describe('the chat agent', () => {
  test.each([
    ["what's the guest Wi-Fi password?", 'Join the network "Guest"'],
    ['my laptop is broken', 'extension 4400'],
    ['请问报销单应该交给谁', '三楼财务'],
    ['wifi密码', 'Guest 网络'],
    ['你好啊', '你好!'],
    ['THANKS for your help!!', 'You are welcome.'],
  ])('answers %s', (question, answer) => {
    const { result, reply, needHumanHandoff } = chat(question);
    expect(result).toMatchObject({ answered: true });
    expect(reply).toContain(answer);
    expect(needHumanHandoff).toBeUndefined();
  });

  test.each([
    ["what's the capital of France", 'A colleague will take over'],
    ['what is the meaning of life', 'A colleague will take over'],
    ['法国的首都是哪里', '已为您转接同事'],
    ['今天天气怎么样', '已为您转接同事'],
    ['🙂🙂', 'A colleague will take over'],
  ])('asks for a person about %s, in its language', (question, reply) => {
    const answer = chat(question);
    expect(answer).toMatchObject({ needHumanHandoff: true, result: { answered: false } });
    expect(answer.reply).toContain(reply);
  });

  test.each([
    ["what's the guest Wi-Fi password?", /^ ?[\w-]+ ?$/],
    ['请问报销单应该交给谁', /^\p{Script=Han}{1,3}$/u],
  ])('says its answer to %s word by word, as it is in the end', async (intent, word) => {
    const { answer, told } = await askToTheEnd(chatAgent, 'company-questions', null, { intent });
    expect(new Set(told.map(([kind]) => kind))).toEqual(new Set(['delta']));
    expect(told.filter(([, text]) => word.test(String(text))).length).toBeGreaterThan(3);
    expect(told.map(([, text]) => text).join('')).toBe(answer.reply);
  });

  test('takes question and language from the payload first', () => {
    const payload = { question: '公司几点上班', language: 'en' };
    expect(ask(chatAgent, 'small-talk', payload, 'hello').reply).toContain('9:00 to 18:00');
    expect(faultsOf(chatAgent, 'small-talk', null)).toMatchObject([{ pointer: '/question' }]);
    expect(faultsOf(chatAgent, 'small-talk', { question: 7 })).toMatchObject([{ pointer: '/question' }]);
  });
});
