import { embeddedStoreSuite } from '../embedded-suite.ts';
import { makeFolder, openStore } from '../temp-store.ts';

embeddedStoreSuite('the file engine', async () => {
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
