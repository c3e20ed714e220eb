/** Exports of Keycloak in the shapes of its versions, and their conversion. */
import { hash } from '@node-rs/argon2';
import { convertRealm as convert, type RealmOptions } from '../../../../src/server/seed/convert/keycloak/convert.ts';
import { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { hashFast } from '../../operations/user-identities/login-fixtures.ts';

export const password = 'correct horse battery staple';

const isRealm = (document: unknown) => typeof document === 'object' && document !== null && 'realm' in document;

/** Converts documents, and checks that the result is a seed. */
export async function convertRealm(documents: unknown, options: RealmOptions = {}) {
  const files = (Array.isArray(documents) ? documents : [documents]).map((document, at) => ({
    file: `${at}.json`,
    // Without it, a realm of users alone would be a part of an export.
    document: isRealm(document) ? { enabled: true, ...document } : document,
  }));
  let drawn = 0;
  const random = { bytes: (length: number) => Buffer.alloc(length, ++drawn), uuid: () => crypto.randomUUID() };
  const result = await convert(files, { random, hash: hashFast }, options);
  await SeedDocument.parseAsync(structuredClone(result.seed));
  const notes = result.notes.map(
    ({ outcome, lost, kind, name, reason }) => `${lost ? 'lost, ' : ''}${outcome}: ${kind} ${name}: ${reason}`,
  );
  const groupOf = (groupName: string) => result.seed.groups.find((group) => group.groupName === groupName);
  return { ...result, notes, lost: notes.filter((note) => note.startsWith('lost')), groupOf };
}

const pad = (base64: string) => Buffer.from(base64, 'base64').toString('base64');

/** An Argon2id hash as Keycloak exports it since version 25. */
export async function createCredential(): Promise<object> {
  const [, , , , salt = '', value = ''] = (await hash(password, { memoryCost: 7168, timeCost: 5 })).split('$');
  const additionalParameters = {
    type: ['id'],
    version: ['1.3'],
    memory: ['7168'],
    parallelism: ['1'],
    hashLength: ['32'],
  };
  return {
    id: '0c1b1c5e-8a0f-4c53-8f0d-6a5d6c3a0001',
    type: 'password',
    userLabel: null,
    createdDate: 1700000000000,
    credentialData: JSON.stringify({ hashIterations: 5, algorithm: 'argon2', additionalParameters }),
    secretData: JSON.stringify({ value: pad(value), salt: pad(salt), additionalParameters: {} }),
  };
}
