/**
 * The secret key of a store: random, created once and stored in it. It protects values that have too few digits for a
 * plain hash (codes), and derives decoys for unknown users, so that they are always the same.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import type { Random } from '../lib/random.ts';
import type { Store } from './store.ts';

export interface StoreSecret {
  /** HMAC-SHA-256 in hexadecimal; `use` separates the digests of different uses. */
  digest(use: string, text: string): string;
  /** Encrypts with AES-256-GCM; returns base64url of nonce, tag and cipher text. */
  seal(text: string): string;
  /** Undefined if `sealed` was not encrypted with this key: an imported row may contain any text. */
  open(sealed: string): string | undefined;
}

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const secretName = 'key';

/** A store key that is read again after the store was replaced, for example by an import. */
export interface ReloadableStoreSecret extends StoreSecret {
  /** Reads the current key of the store. */
  reload(): Promise<void>;
}

/** Reads the key of a store, or creates it. */
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
      try {
        const decipher = createDecipheriv('aes-256-gcm', sealKey, bytes.subarray(0, nonceBytes));
        decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
        return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
