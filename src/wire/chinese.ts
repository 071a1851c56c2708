const HAN = /\p{Script=Han}/u;

/** Whether a text has a Chinese character. */
export function hasChinese(text: string): boolean {
  return HAN.test(text);
}
