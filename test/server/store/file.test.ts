import { makeFolder, openStore } from './folder.ts';
import { storeSuite } from './suite.ts';

storeSuite('the file engine', async () => {
  const { directory, remove } = await makeFolder();
  const store = await openStore(directory);
  return {
    store,
    async dispose() {
      await store.close();
      await remove();
    },
  };
});
