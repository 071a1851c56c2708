import { readFileSync, writeFileSync } from 'node:fs';
import { withErrorTable } from './error-table.js';

const page = new URL('../errors.md', import.meta.url);
writeFileSync(page, withErrorTable(readFileSync(page, 'utf8')));
