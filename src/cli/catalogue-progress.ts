import type { JudgedReach } from '../evaluation/judge.js';
import { type PublishedManifests, publishManifests } from '../evaluation/judged-catalogue.js';
import type { ManifestFile } from '../manifest/check-manifests.js';
import type { EmbeddingHooks } from './cli-services.js';
import type { ProgressBar } from './progress-bar.js';

/** Publishes a catalogue that is to be judged, and shows how far that is. */
export class CatalogueProgress implements EmbeddingHooks {
  readonly #manifests: readonly ManifestFile[];
  readonly #bar: ProgressBar;
  /** Which one is being published. */
  #current = 0;

  constructor(manifests: readonly ManifestFile[], bar: ProgressBar) {
    this.#manifests = manifests;
    this.#bar = bar;
  }

  readonly onEmbedded = (done: number, total: number): void => {
    this.#bar.show('Embedding the catalogue', this.#current + done / total, this.#manifests.length);
  };

  /** As publishManifests. */
  async publish(reach: JudgedReach): Promise<PublishedManifests> {
    try {
      return await publishManifests(this.#manifests, reach, (index) => {
        this.#current = index;
      });
    } finally {
      this.#bar.clear();
    }
  }
}
