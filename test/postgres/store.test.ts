/** The engine on PostgreSQL behaves as the others do. */
import { storeSuite } from '../server/store/suite.ts';
import { databaseUrl } from './database.ts';
import { TestSchemas } from './schemas.ts';

const schemas = new TestSchemas(databaseUrl);

storeSuite('the store on PostgreSQL', async () => {
  const store = await schemas.open();
  return { store, dispose: () => store.close() };
});
