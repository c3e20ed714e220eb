/** Writes test/fixtures/stores/<version>/: a store of this version, which later versions must be able to open. */
import { root } from './root.mjs';
import { runTypeScript } from './run-typescript.mjs';

await runTypeScript('test/fixtures/make-store.ts', root);
