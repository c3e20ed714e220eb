import { storeSuite } from '../suite.ts';
import { makeFolder, openStore } from '../temp-store.ts';

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
