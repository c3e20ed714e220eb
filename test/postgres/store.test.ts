/** The engine on PostgreSQL behaves as the others do. */
import { inject } from 'vitest';
import { storeSuite } from '../server/store/suite.ts';
import { TestSchemas } from './schemas.ts';

const schemas = new TestSchemas(inject('databaseUrl'));

storeSuite('the store on PostgreSQL', async () => {
  const store = await schemas.open();
  return { store, dispose: () => store.close() };
});
