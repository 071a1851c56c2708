import { ReachError } from '../errors.js';
import type { TextKind } from './embedder.js';
import type { ModelDescription, Pooling } from './model-description.js';

/** What only a person can say about a model. `answers`: the ones that are possible, where not any text is. */
export interface ModelQuestion {
  readonly about: 'pooling' | 'prefix_query' | 'prefix_passage';
  readonly sentence: string;
  readonly answers?: readonly string[];
}

export type AskPerson = (question: ModelQuestion) => Promise<string>;

type JsonObject = Readonly<Record<string, unknown>>;

/** The files in which a hub says how a model is to be used; of those that are missing, an empty object. */
export interface HubFiles {
  readonly config: JsonObject;
  readonly tokenizerConfig: JsonObject;
  /** `modules.json`: the parts of a sentence-transformers model, in order. */
  readonly modules: unknown;
  /** `1_Pooling/config.json`. */
  readonly pooling: JsonObject;
  /** `config_sentence_transformers.json`: prefixes, called prompts there. */
  readonly prompts: JsonObject;
  /** `sentence_bert_config.json`: the window. */
  readonly sentence: JsonObject;
}

export type HubSettings = Pick<ModelDescription, 'dim' | 'pooling' | 'prefix' | 'maxTokens'>;

const POOLINGS: readonly Pooling[] = ['mean', 'cls'];
/** What a tokenizer says that knows no limit is a number beyond all windows. */
const LARGEST_WINDOW = 1_048_576;
const DEFAULT_WINDOW = 512;
/** These count positions from 2 on. */
const SHIFTED_POSITIONS = new Set(['roberta', 'xlm-roberta', 'camembert']);

const refuse = (sentence: string): ReachError => new ReachError('MODEL_INVALID', sentence);

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}

function dimOf({ config, pooling }: HubFiles): number {
  const values = [config.hidden_size, config.dim, config.d_model, pooling.word_embedding_dimension];
  const dim = values.map(positive).find((value) => value !== undefined);
  if (dim === undefined) throw refuse('The model does not say how many numbers its vectors have.');
  return dim;
}

function maxTokensOf({ config, tokenizerConfig, sentence }: HubFiles): number {
  const positions = positive(config.max_position_embeddings);
  const shift = SHIFTED_POSITIONS.has(String(config.model_type)) ? 2 : 0;
  const limits = [
    positive(tokenizerConfig.model_max_length),
    positions === undefined ? undefined : positions - shift,
    positive(sentence.max_seq_length),
  ];
  const known = limits.filter((limit) => limit !== undefined && limit <= LARGEST_WINDOW);
  return Math.min(...(known.length > 0 ? (known as number[]) : [DEFAULT_WINDOW]));
}

/** Parts beyond these would change vectors, and are not in the ONNX file. */
function checkModules(modules: unknown): void {
  if (!Array.isArray(modules)) return;
  for (const { type } of modules as { type?: unknown }[]) {
    const part = String(type).split('.').at(-1) ?? '';
    if (!['Transformer', 'Pooling', 'Normalize'].includes(part)) {
      throw refuse(`The model has a part ${part} after its transformer, which is not supported.`);
    }
  }
}

async function poolingOf({ pooling }: HubFiles, ask: AskPerson): Promise<Pooling> {
  const modes = Object.entries(pooling).filter(([key, on]) => key.startsWith('pooling_mode_') && on === true);
  const [mode, ...others] = modes.map(([key]) => key.slice('pooling_mode_'.length));
  if (mode === undefined) {
    const answer = await ask({
      about: 'pooling',
      sentence: "How do the vectors of the tokens become the text's? The model card says it.",
      answers: POOLINGS,
    });
    if (answer === 'mean' || answer === 'cls') return answer;
    throw refuse(`Pooling must be mean or cls, not ${JSON.stringify(answer)}.`);
  }
  if (others.length === 0 && mode === 'mean_tokens') return 'mean';
  if (others.length === 0 && mode === 'cls_token') return 'cls';
  throw refuse(`The model pools by ${[mode, ...others].join(' and ')}, which is not supported.`);
}

async function prefixOf({ prompts }: HubFiles, ask: AskPerson): Promise<Record<TextKind, string>> {
  const known = Object(prompts.prompts) as JsonObject;
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const prefix = { query: text(known.query), passage: text(known.passage ?? known.document) };
  // Empty ones are written by default and say nothing.
  if (prefix.query !== '' || prefix.passage !== '') return prefix;
  const sentence = (texts: string) =>
    `What does the model want to see before ${texts}? Its card says it; nothing is a valid answer.`;
  return {
    query: await ask({ about: 'prefix_query', sentence: sentence('a question or intent') }),
    passage: await ask({ about: 'prefix_passage', sentence: sentence('a text that is to be found') }),
  };
}

/**
 * How a model of a hub is to be used, from what its files say and, where they are silent, from a person.
 * @throws ReachError MODEL_INVALID where the model needs what is not supported, or the answer is none.
 */
export async function hubSettings(files: HubFiles, ask: AskPerson): Promise<HubSettings> {
  checkModules(files.modules);
  return {
    dim: dimOf(files),
    maxTokens: maxTokensOf(files),
    pooling: await poolingOf(files, ask),
    prefix: await prefixOf(files, ask),
  };
}
