/** Writes test/fixtures/stores/<version>/: a store of this version, which later versions must be able to open. */
import { root, runBundled } from './build.mjs';

await runBundled('test/fixtures/make-store.ts', root);
