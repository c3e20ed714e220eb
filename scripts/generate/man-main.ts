/** Writes the manual pages. The build bundles and runs it with the target folder. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { renderManPages } from '../../src/cli/man-pages.ts';

const [, , outdir = 'dist/man'] = process.argv;
mkdirSync(outdir, { recursive: true });
for (const [name, text] of renderManPages()) writeFileSync(path.join(outdir, name), text);
