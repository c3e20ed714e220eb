import { openMemoryStore } from '../../../../src/server/store/memory/memory-store.ts';
import { embeddedStoreSuite } from '../embedded-suite.ts';

embeddedStoreSuite('the memory engine', async () => {
  const store = openMemoryStore();
  return { store, dispose: () => store.close() };
});
