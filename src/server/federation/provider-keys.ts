/** The keys of an OpenID provider. */
import { type CryptoKey, createLocalJWKSet, errors, type JWK, type JWTHeaderParameters } from 'jose';
import { z } from 'zod';

const JwkSet = z.object({ keys: z.array(z.unknown()) });
const Entry = z.record(z.string(), z.unknown());

const isKey = (entry: unknown): entry is JWK => Entry.safeParse(entry).success;

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
    const keys = set.data.keys.filter(isKey);
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
