/** The keys of an OpenID provider. */
import { type CryptoKey, createLocalJWKSet, errors, type JWK, type JWTHeaderParameters } from 'jose';
import * as z from 'zod';

const JwkSet = z.object({ keys: z.array(z.unknown()) });
const Entry = z.record(z.string(), z.unknown());

/**
 * An entry as the library accepts it. An absent member can be null or an empty list; `sign` beside `verify` describes the
 * key pair (RFC 7517, section 4.3), and `ext` the copy at the provider.
 */
function toKey(entry: unknown): JWK[] {
  const { success, data = {} } = Entry.safeParse(entry);
  if (!success) return [];
  const { ext: _ext, key_ops: operations, ...key } = omitNull(data);
  if (operations === undefined) return [key as JWK];
  if (!Array.isArray(operations)) return [];
  return operations.length === 0 || operations.includes('verify') ? [key as JWK] : [];
}

/** Removes members that are null: serializers such as Jackson write null for an absent one. */
export function omitNull<Members extends object>(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as Members;
}

/** A verified JWK Set (RFC 7517, section 5). Entries that are no keys, or of an unknown kind, are passed over. */
export class ProviderKeys {
  readonly #texts: ReadonlySet<string>;
  readonly #ids: ReadonlySet<unknown>;
  readonly #all: ReturnType<typeof createLocalJWKSet>;
  readonly #unnamed: ReturnType<typeof createLocalJWKSet>;

  /** @throws Error if the document is no JWK Set */
  constructor(document: unknown) {
    const set = JwkSet.safeParse(document);
    if (!set.success) throw new Error('the response is no JWK Set');
    const keys = set.data.keys.flatMap(toKey);
    this.#texts = new Set(keys.map((key) => JSON.stringify(key)));
    this.#ids = new Set(keys.map(({ kid }) => kid));
    this.#all = createLocalJWKSet({ keys });
    this.#unnamed = createLocalJWKSet({ keys: keys.filter(({ kid }) => kid === undefined) });
  }

  /** Whether the header names a key of the set. */
  names({ kid }: JWTHeaderParameters): boolean {
    return typeof kid === 'string' && this.#ids.has(kid);
  }

  /** Whether a key is not among the others. */
  hasOtherThan(others: ProviderKeys | undefined): boolean {
    return others === undefined || [...this.#texts].some((text) => !others.#texts.has(text));
  }

  /**
   * The keys that can have signed a token with this header: those with its key id; if there are none, those without an id;
   * for a header without one, all. Keys that cannot be used are left out.
   */
  async *candidates(header: JWTHeaderParameters): AsyncGenerator<CryptoKey> {
    const { kid, ...withoutId } = header;
    const isNamed = this.names(header);
    const keys = isNamed || kid === undefined ? this.#all : this.#unnamed;
    try {
      yield await keys(isNamed ? header : withoutId);
    } catch (error) {
      if (error instanceof errors.JWKSMultipleMatchingKeys) yield* error;
    }
  }
}
