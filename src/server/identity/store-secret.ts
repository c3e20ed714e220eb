/**
 * The key of one store: random, made once, kept in it. What has too few digits to be kept as a plain hash is kept under
 * it (codes), and what is made up for somebody unknown comes from it, so that it is the same every time.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import type { Random } from '../random.ts';
import type { Store } from '../store/store.ts';

export interface StoreSecret {
  /** HMAC-SHA-256 in hexadecimal; `use` keeps the digests of different uses apart. */
  digest(use: string, text: string): string;
  /** Text under AES-256-GCM, as base64url of nonce, tag and cipher text. */
  seal(text: string): string;
  /** @throws Error where `sealed` was not made by `seal` of this store. */
  open(sealed: string): string;
}

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const secretName = 'key';

/** The key of a store that may come to be another one's, with all that was made under it. */
export interface ReloadableStoreSecret extends StoreSecret {
  /** Takes the key that the store has now. */
  reload(): Promise<void>;
}

/** Reads the key of a store; makes it where there is none. */
export async function openStoreSecret(store: Store, random: Random): Promise<ReloadableStoreSecret> {
  const read = async () => {
    const row = (await store.storeSecrets.get(secretName)) ?? (await generateSecretRow(store, random));
    return createStoreSecret(Buffer.from(row.value, 'base64url'), random);
  };
  let key = await read();
  return {
    digest: (use, text) => key.digest(use, text),
    seal: (text) => key.seal(text),
    open: (sealed) => key.open(sealed),
    async reload() {
      key = await read();
    },
  };
}

async function generateSecretRow(store: Store, random: Random) {
  const row = { name: secretName, value: random.bytes(keyBytes).toString('base64url') };
  await store.transaction((tx) => tx.storeSecrets.insert(row));
  return row;
}

export function createStoreSecret(key: Buffer, random: Random): StoreSecret {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', key, '', use, keyBytes));
  const digestKey = derive('digest');
  const sealKey = derive('seal');
  return {
    digest: (use, text) => createHmac('sha256', digestKey).update(`${use}\n${text}`, 'utf8').digest('hex'),
    seal(text) {
      const nonce = random.bytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', sealKey, bytes.subarray(0, nonceBytes));
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}
