import type { ReachOptions } from '../config.js';
import type { Reach } from '../reach.js';
import type { Running, SignalSource } from './run-until-signal.js';

interface TextSink {
  write(text: string): unknown;
}

export interface EmbeddingHooks {
  /** Told how many texts of a publish are embedded, of how many. */
  readonly onEmbedded: (done: number, total: number) => void;
}

/** A file of a data folder, and what its schema needs. */
export interface StoreFile {
  readonly path: string;
  /** Of its schema; 0 where there is no file yet. */
  readonly version: number;
  readonly newestVersion: number;
  /** The copy that is made before; undefined where there is nothing to do. */
  readonly backup: string | undefined;
}

/** What is done with a store that no service uses. */
export interface StoreTools {
  /** The lines of a file that holds all of it. */
  exportStore(options: ReachOptions): AsyncIterable<string>;
  importStore(
    options: ReachOptions,
    file: string,
  ): Promise<{ readonly place: string; readonly counts: Readonly<Record<string, number>> }>;
  migrateStore(options: ReachOptions, choice: { readonly dryRun: boolean }): Promise<readonly StoreFile[]>;
}

/** All that a command needs of the world around it; `main.ts` gives the real one, tests their own. */
export interface CliServices {
  /** Of the package. */
  readonly version: string;
  /** The façade in this process. */
  createReach(options: ReachOptions, hooks?: EmbeddingHooks): Promise<Reach>;
  /** The façade behind its HTTP door. */
  serve(options: ReachOptions, signal: AbortSignal): Promise<Running>;
  /** As serve, with the sample agents as processes beside it. Writes its own progress. */
  demo(options: ReachOptions, signal: AbortSignal): Promise<Running>;
  /** Loaded when asked for: most commands need none of them. */
  storeTools(): Promise<StoreTools>;
  readonly stdout: TextSink;
  /** A progress bar is drawn where it is a terminal. */
  readonly stderr: TextSink & { readonly isTTY?: boolean };
  readonly env: NodeJS.ProcessEnv;
  /** Whether a person can be asked something. */
  readonly isTTY: boolean;
  /** Asks the person at the terminal and gives back the line. */
  ask(question: string): Promise<string>;
  readonly signals: SignalSource;
}
