import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ReachError } from '../errors.js';
import {
  type CheckedManifests,
  checkManifests,
  type FileFault,
  fileFaultsOf,
  type ManifestFile,
} from '../manifest/check-manifests.js';
import { manifestFilesIn } from '../manifest/folder-files.js';
import { parseManifestForm } from '../manifest/parse-manifest.js';
import type { ManifestDocument } from '../manifest/schema.js';
import { pointerKeys, valueAt } from '../wire/json-pointer.js';
import type { JudgedReach } from './judge.js';

/** Nobody is called: it stands for an agent that runs, so that outcomes tell of routing and not of who is up. */
const STAND_IN = { instance_id: 'stand-in', address: 'http://127.0.0.1:9' };

/** A path as files: itself, or the manifests of the folder that it is. What cannot be read is told when it is. */
async function filesAt(path: string): Promise<readonly string[]> {
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  return isFolder ? (await manifestFilesIn(path)).map((name) => join(path, name)) : [path];
}

/** Reads files of manifests and folders of such files, as far as it is quickly done: their form is checked. */
export async function readManifests(paths: readonly string[]): Promise<CheckedManifests> {
  const files: string[] = [];
  const empty: FileFault[] = [];
  for (const path of paths) {
    const found = await filesAt(path);
    if (found.length === 0) empty.push({ file: path, line: 1, pointer: '', message: 'it holds no manifest' });
    files.push(...found);
  }
  const { manifests, faults } = await checkManifests(files, parseManifestForm);
  return { manifests, faults: [...empty, ...faults] };
}

/** A manifest as it is published to be judged. */
function standingAlone({ document, manifest: { manifestVersion } }: ManifestFile): ManifestDocument {
  const { instances = [] } = document;
  return {
    ...document,
    manifest_version: manifestVersion,
    instances: instances.length > 0 ? instances : [STAND_IN],
  };
}

/** Whether it is only the pattern of a text field that a publish refuses. */
function isPattern(document: ManifestDocument, pointer: string): boolean {
  return /_schema\/(.+\/)?pattern$/.test(pointer) && typeof valueAt(document, pointer) === 'string';
}

function withoutFields(document: ManifestDocument, pointers: readonly string[]): ManifestDocument {
  const copy = structuredClone(document);
  for (const pointer of pointers) {
    const around = valueAt(copy, pointer.slice(0, pointer.lastIndexOf('/')));
    if (typeof around === 'object' && around !== null) {
      Reflect.deleteProperty(around, pointerKeys(pointer).at(-1) ?? '');
    }
  }
  return copy;
}

export interface PublishedManifests {
  /** Patterns that a publish refuses, and which were left out of what was published. */
  readonly leftOut: readonly FileFault[];
  /** Other reasons why a manifest was refused; then nothing can be judged. */
  readonly faults: readonly FileFault[];
}

async function refusalOf(document: ManifestDocument, reach: JudgedReach): Promise<ReachError | undefined> {
  try {
    await reach.publish(document);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ReachError && thrown.code === 'MANIFEST_INVALID') return thrown;
    throw thrown;
  }
}

async function publishManifest(file: ManifestFile, reach: JudgedReach): Promise<PublishedManifests> {
  const leftOut: FileFault[] = [];
  let document = standingAlone(file);
  for (;;) {
    const refusal = await refusalOf(document, reach);
    if (refusal === undefined) return { leftOut, faults: [] };
    const faults = fileFaultsOf(refusal, file);
    const pointers = faults.map(({ pointer }) => pointer);
    const current = document;
    if (pointers.length === 0 || !pointers.every((pointer) => isPattern(current, pointer))) {
      return { leftOut, faults };
    }
    leftOut.push(...faults);
    document = withoutFields(document, pointers);
  }
}

/**
 * Publishes the catalogue that is to be judged; `onManifest` is told before each. An agent without instances gets
 * one that stands for it. Catalogues that were collected elsewhere have patterns that a publish refuses as slow or
 * malformed: routing hardly looks at patterns, so these are left out and told, and the rest is judged.
 * @throws ReachError as `Reach.publish`, but MANIFEST_INVALID
 */
export async function publishManifests(
  manifests: readonly ManifestFile[],
  reach: JudgedReach,
  onManifest: (index: number) => void = () => {},
): Promise<PublishedManifests> {
  const leftOut: FileFault[] = [];
  for (const [index, manifest] of manifests.entries()) {
    onManifest(index);
    const published = await publishManifest(manifest, reach);
    leftOut.push(...published.leftOut);
    if (published.faults.length > 0) return { leftOut, faults: published.faults };
  }
  return { leftOut, faults: [] };
}
