import { basename, dirname, resolve } from 'node:path';
import { type CalibrationNoise, calibrationNoise } from './calibration-error.js';
import { type Figures, figuresOf, type Mark } from './figures.js';
import { groupedBy } from './grouped-by.js';
import { percentile } from './percentile.js';

/** What was evaluated. */
export interface Evaluated {
  readonly set: string;
  readonly capabilities: number;
  readonly threshold: number;
  readonly model: string;
  readonly weightsVersion: string;
}

/** What an evaluation came to, as it is written. */
export interface EvaluationReport extends Figures {
  readonly set: string;
  readonly capabilities: number;
  readonly by_lang: Readonly<Record<string, Figures>>;
  /** Of single routes, one after the other, whose intents nobody has asked before. */
  readonly latency_ms: { readonly p50: number; readonly p99: number };
  readonly model: string;
  readonly weights_version: string;
}

/** A report with what chance alone would make of its calibration errors. */
export interface Evaluation {
  readonly report: EvaluationReport;
  readonly noise: CalibrationNoise | null;
  readonly noiseByLang: ReadonlyMap<string, CalibrationNoise | null>;
}

const noiseOf = (marks: readonly Mark[]) => calibrationNoise(marks.map(({ confidence }) => confidence));

/** Sums up the marks of a set. */
export function evaluationOf(marks: readonly Mark[], about: Evaluated): Evaluation {
  const { set, capabilities, threshold, model, weightsVersion } = about;
  const langs = [...groupedBy(marks, ({ lang }) => lang)].sort(([, a], [, b]) => b.length - a.length);
  const latencies = marks.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
  return {
    report: {
      set,
      capabilities,
      ...figuresOf(marks, threshold),
      by_lang: Object.fromEntries(langs.map(([lang, some]) => [lang, figuresOf(some, threshold)])),
      latency_ms: { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) },
      model,
      weights_version: weightsVersion,
    },
    noise: noiseOf(marks),
    noiseByLang: new Map(langs.map(([lang, some]) => [lang, noiseOf(some)])),
  };
}

/** What a file of queries is called in reports: its own name, or that of its folder where it is only `queries`. */
export function setNameOf(file: string): string {
  const path = resolve(file);
  const name = basename(path).replace(/\.jsonl?$/i, '');
  return name === 'queries' ? basename(dirname(path)) : name;
}
