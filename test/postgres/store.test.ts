/** The engine on PostgreSQL behaves as the others do. */
import { rounds } from '../effort.ts';
import { storeSuite } from '../server/store/suite.ts';
import { databaseUrl } from './database.ts';
import { TestSchemas } from './schemas.ts';

const schemas = new TestSchemas(databaseUrl);

const open = async () => {
  const store = await schemas.open();
  return { store, dispose: () => store.close() };
};

storeSuite('the store on PostgreSQL', open, rounds(100));
