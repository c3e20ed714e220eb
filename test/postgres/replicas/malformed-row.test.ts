/** A row that another program has changed. */
import pg from 'pg';
import { expect, test } from 'vitest';
import { group } from '../../server/store/rows.ts';
import { databaseUrl } from '../database.ts';
import { TestSchemas } from '../schemas.ts';

test('is named by the error of a dump, which leaves the connections of others open', async () => {
  const schemas = new TestSchemas(databaseUrl);
  const schema = await schemas.take();
  const store = await schemas.open({ schema });
  await store.transaction(({ groups }) => groups.insert(group('a')));
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(`update "${schema}".groups set body = '{}' where key = 'a'`);
  await client.end();
  await expect(store.dump()).rejects.toThrow('The row a of the table groups is malformed.');
  expect(store.health()).toEqual({ writable: true });
  await store.close();
  schemas.release(schema);
});
