export const LANGUAGES = ['zh', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

const HAN = /\p{Script=Han}/u;

/** The language to answer in: Chinese as soon as a text has a Chinese character, else English. */
export function languageOf(text: string): Language {
  return HAN.test(text) ? 'zh' : 'en';
}
