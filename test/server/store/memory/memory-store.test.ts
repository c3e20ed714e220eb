import { openMemoryStore } from '../../../../src/server/store/memory/memory-store.ts';
import { storeSuite } from '../suite.ts';

storeSuite('the memory engine', async () => {
  const store = openMemoryStore();
  return { store, dispose: () => store.close() };
});
