import { parentPort, workerData } from 'node:worker_threads';
import { nearDuplicates } from '../evaluation/near-duplicates.js';

// A thread that compares many texts once: they may be long and alike, and this takes as long as it takes.

parentPort?.postMessage(nearDuplicates(workerData as readonly string[]));
