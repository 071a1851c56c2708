/** Limits on what a caller controls; used by the schemas here and repeated nowhere. */
export const LIMITS = Object.freeze({
  intentChars: 20_000,
  idChars: 256,
  addressChars: 2_048,
  topK: 64,
  filterItems: 100,
  historyItems: 100,
  exportHours: 168,
  trendHours: 8_760,
  /** Nesting of a request body, payload included. */
  bodyDepth: 64,
  bodyBytes: 1_048_576,
  manifestBytes: 8_388_608,
  /** The most attempts that a caller may ask for. */
  attempts: 10,
  /** What an agent may answer. */
  answerBytes: 16_777_216,
  batchItems: 100,
  batchConcurrency: 64,
  /** Labels that are kept in all, that are added at once, and right capabilities that one names. */
  labels: 100_000,
  labelItems: 1_000,
  labelExpected: 100,
  /** Capabilities that have a threshold of their own in weights. */
  capabilityThresholds: 10_000,
  sessionBytes: 65_536,
  sessionRounds: 3,
  sessionConfirmations: 10,
  /** The longest deadline that a caller may ask for. */
  deadlineMs: 3_600_000,
});
