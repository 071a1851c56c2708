/** 32 bits in which every bit depends on every bit that was given: the finalizer of MurmurHash3. */
export function mixedBits(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** 32 bits that are the same for the same text: FNV-1a over its code units, mixed. */
export function textBits(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mixedBits(hash);
}

/** The same as a number of 0..1. */
export function textHash(text: string): number {
  return textBits(text) / 2 ** 32;
}
