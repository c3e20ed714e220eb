/** `npm run generate`: rewrites the committed generated files. The registry comes first, as the others are made from it. */
import { root } from './root.mjs';
import { runTypeScript } from './run-typescript.mjs';

await runTypeScript('scripts/generate/registry-main.ts', root);
await runTypeScript('scripts/generate/manifest-main.ts', root);
await runTypeScript('scripts/generate/main.ts', root);
