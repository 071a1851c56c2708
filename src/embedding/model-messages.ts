import type { TextKind } from './embedder.js';
import type { ModelDescription } from './model-description.js';

/** A text on its way to the model process; `id` names it in the answer. */
export interface TextMessage {
  readonly id: number;
  readonly text: string;
  readonly kind: TextKind;
  readonly bulk: boolean;
}

/** What the service says to the model process. `load` comes once, first. */
export type ToModelProcess =
  | { readonly type: 'load'; readonly path: string; readonly description: ModelDescription }
  | { readonly type: 'texts'; readonly texts: readonly TextMessage[] };

/**
 * What the model process says. `vectors` holds the vectors of `ids` one after the other; `failed` means that
 * the model gave an error for these texts and lives on.
 */
export type FromModelProcess =
  | { readonly type: 'ready' }
  | { readonly type: 'refused'; readonly detail: string }
  | { readonly type: 'vectors'; readonly ids: readonly number[]; readonly vectors: Float32Array }
  | { readonly type: 'failed'; readonly ids: readonly number[]; readonly detail: string };
