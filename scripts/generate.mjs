/** `npm run generate`: rewrites the committed generated files. The registry comes first, as the others are made from it. */
import process from 'node:process';
import { ensureAllInstalled } from './install.mjs';
import { root } from './root.mjs';

if (!(await ensureAllInstalled())) process.exit(1);
const { runTypeScript } = await import('./run-typescript.mjs');
await runTypeScript('scripts/generate/registry-main.ts', root);
await runTypeScript('scripts/generate/manifest-main.ts', root);
await runTypeScript('scripts/generate/main.ts', root);
