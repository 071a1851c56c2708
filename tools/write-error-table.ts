import { readFileSync, writeFileSync } from 'node:fs';
import { withErrorTable } from './error-table.js';

const page = new URL('../docs/errors.md', import.meta.url);
writeFileSync(page, withErrorTable(readFileSync(page, 'utf8')));
