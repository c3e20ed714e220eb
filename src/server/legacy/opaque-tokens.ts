/** Opaque tokens for products: 256 random bits, stored as a hash, bound to the user, the client and the product. */
import { apiError } from '../../contract/errors.ts';
import type { Principal } from '../directory/principal.ts';
import { type Clock, epochSeconds } from '../lib/clock.ts';
import { generateSecret, type Random } from '../lib/random.ts';
import { hashSecret } from '../lib/secrets.ts';
import { revalidateCaller } from '../sessions/revalidate-caller.ts';
import { clearExpired } from '../store/clear-expired.ts';
import type { Store, Transaction } from '../store/store.ts';
import type { Product } from '../store/tables.ts';
import type { ProductReference, ProductSystem } from './product-system.ts';

const rememberedLifetimeSeconds = 600;
const lifetimeSeconds = 3600;

/**
 * The product of a request.
 * @throws IamError PRODUCT_NOT_FOUND; BILLING_TYPE_UNSUPPORTED if the product system does not implement the billing type,
 *   BILLING_TYPE_NOT_SOLD if the product is not sold with it; PRODUCT_SYSTEM_UNAVAILABLE.
 */
export async function requireProduct(
  products: ProductSystem,
  reference: ProductReference,
  billingType: string | undefined,
): Promise<Product> {
  const lookup = await products.find(reference, billingType);
  if (lookup.kind === 'unknown') throw apiError('PRODUCT_NOT_FOUND');
  if (lookup.kind === 'unsupported') throw apiError('BILLING_TYPE_UNSUPPORTED');
  const { product } = lookup;
  if (billingType !== undefined && !product.billingTypes.includes(billingType)) throw apiError('BILLING_TYPE_NOT_SOLD');
  return product;
}

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly caller: Principal;
}

export interface OpaqueTokenRequest {
  readonly product: Product;
  readonly billingType?: string | undefined;
  /** Issues a token with the shorter lifetime. */
  readonly remember?: boolean;
}

/** Issues a token for the caller; expiresIn is seconds as digits. @throws IamError TOKEN_INVALID if the caller is no longer valid. */
export function issueOpaqueToken(
  { product, billingType, remember = false }: OpaqueTokenRequest,
  deps: Deps,
): Promise<{ readonly opaqueToken: string; readonly expiresIn: string }> {
  const { store, clock, caller } = deps;
  const lifetime = remember ? rememberedLifetimeSeconds : lifetimeSeconds;
  return store.transaction(async (tx) => {
    await revalidateCaller(tx, caller, clock);
    const opaqueToken = await storeOpaqueToken(
      tx,
      {
        ...(caller.user === undefined ? {} : { userId: caller.user.userId }),
        clientId: caller.client.clientId,
        productId: product.productId,
        ...(billingType === undefined ? {} : { billingType }),
        expiresAt: epochSeconds(clock) + lifetime,
      },
      deps,
    );
    return { opaqueToken, expiresIn: String(lifetime) };
  });
}

type TokenRow = Parameters<Transaction['opaqueTokens']['insert']>[0];

async function storeOpaqueToken(
  tx: Transaction,
  row: Omit<TokenRow, 'tokenHash'>,
  { clock, random }: Deps,
): Promise<string> {
  const token = generateSecret(random);
  const tokenHash = hashSecret(token);
  await clearExpired(tx.opaqueTokens, (other) => other.tokenHash, epochSeconds(clock), tokenHash);
  await tx.opaqueTokens.insert({ ...row, tokenHash });
  return token;
}
