/** `npm run screenshots`: writes images of the pages of the console into dist/screenshots/. */
import { runTypeScript } from './run-typescript.mjs';

await runTypeScript('scripts/screenshots.ts');
